import type { ReactiveControllerHost } from 'lit';
import type { Limits, Totals } from '../../queue/types.js';
import type { Transport } from '../../protocol/transport.js';
import type { EndpointLimits } from '../endpoint-limits.js';
import type { Localizer } from '../locales/localizer.js';
import type { PickedFile } from '../picking/picked-file.js';
import type { Settings } from '../settings/read-settings.js';
import type { LazyPart } from '../view/lazy-part.js';

/** The part of the element that the sources use. */
export interface SourceHost extends ReactiveControllerHost, HTMLElement {
  readonly sources: string;
  readonly capture: string;
  readonly transport: Transport | null;
  readonly localizer: Localizer;
  readonly settings: Pick<Settings, 'imageOptions'>;
  readonly limits: Readonly<Limits>;
  readonly totals: Readonly<Totals>;
  readonly acceptsMultiple: boolean;
  readonly canAddFiles: boolean;
  readonly pickButton: HTMLElement | null;
  readonly renderRoot: ParentNode;
  readonly endpointLimits: LazyPart<EndpointLimits>;
  addFiles(files: Iterable<File>): Promise<void>;
  /** Adds a file that the service fetches from a URL. */
  addLink(link: PickedFile): Promise<void>;
  /** Opens the picker for files of the device. */
  pickFromDevice(): void;
}
