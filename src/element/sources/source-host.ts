import type { ReactiveControllerHost } from 'lit';
import type { Limits, Totals } from '../../queue/types.js';
import type { Transport } from '../../protocol/transport.js';
import type { Localizer } from '../locales/localizer.js';

/** The part of the element that the sources use. */
export interface SourceHost extends ReactiveControllerHost, HTMLElement {
  readonly sources: string;
  readonly capture: string;
  readonly transport: Transport | null;
  readonly localizer: Localizer;
  readonly limits: Readonly<Limits>;
  readonly totals: Readonly<Totals>;
  readonly acceptsMultiple: boolean;
  readonly canAddFiles: boolean;
  readonly pickButton: HTMLElement | null;
  readonly renderRoot: ParentNode;
  addFiles(files: Iterable<File>): Promise<void>;
  /** Opens the picker for files of the device. */
  pickFromDevice(): void;
}
