import type { MessageKey } from '../locales/localizer.js';
import { readSources } from './read-sources.js';
import type { Source } from './read-sources.js';
import { acceptsKind, findFormat } from './recording-formats.js';
import type { SourceHost } from './source-host.js';

/** An entry of the menu. */
export type Choice = Extract<MessageKey, 'device' | 'photo' | 'video' | 'screen' | 'sound' | 'link'>;

const CHOICES: Readonly<Record<Source, readonly Choice[]>> = {
  device: ['device'],
  camera: ['photo', 'video'],
  screen: ['screen'],
  microphone: ['sound'],
  url: ['link'],
};

/** Returns whether the device has a camera program that is better than a dialog of a page: a phone or a tablet. */
export const hasCameraProgram = (): boolean =>
  'capture' in HTMLInputElement.prototype && matchMedia('(hover: none) and (pointer: coarse)').matches;

const hasDevices = (): boolean => typeof navigator.mediaDevices?.getUserMedia === 'function';

/**
 * Returns whether the token lets the service fetch URLs. Asks for its limits before the first file is chosen. If they stay unknown, the source
 * is offered, because the page asks for it.
 */
function mayFetch({ limits, endpointLimits }: SourceHost): boolean {
  const asked = endpointLimits.use();
  if (limits.allowFetch !== undefined) return limits.allowFetch;
  return asked ? !asked.isPending : endpointLimits.hasFailed;
}

/** Returns whether a choice works in this browser, on this page, and with the files that the element accepts. */
function isOffered(choice: Choice, host: SourceHost): boolean {
  const { limits } = host;
  switch (choice) {
    case 'device':
      return true;
    case 'photo':
    case 'video':
      return hasCameraProgram() ? acceptsKind(choice, limits) : hasDevices() && findFormat(choice, limits) !== undefined;
    case 'sound':
      return hasDevices() && findFormat('sound', limits) !== undefined;
    case 'screen':
      return typeof navigator.mediaDevices?.getDisplayMedia === 'function' && findFormat('video', limits) !== undefined;
    case 'link':
      // A transport of the page stores files without the service, and pictures that the page does not have cannot be prepared.
      return host.transport === null && host.settings.imageOptions === null && mayFetch(host);
  }
}

/** Returns the entries of the menu, in the order of the attribute. */
export const offeredChoices = (host: SourceHost): Choice[] =>
  readSources(host.sources)
    .sources.flatMap((source) => CHOICES[source])
    .filter((choice) => isOffered(choice, host));
