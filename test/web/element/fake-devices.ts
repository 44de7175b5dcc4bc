import type { SvcUploader } from '../../../src/element/index.js';
import { find, until } from './fixture.js';

/** The WebKit of the tests has no encoder. */
export const canRecord =
  typeof navigator.mediaDevices?.getUserMedia === 'function' &&
  typeof MediaRecorder === 'function' &&
  ['video/mp4', 'video/webm'].some((type) => MediaRecorder.isTypeSupported(type));

/** Returns whether the browser has a camera or a microphone. The one of WebKit in tests has none. */
export async function hasDevices(kind: MediaDeviceKind): Promise<boolean> {
  const devices = (await navigator.mediaDevices?.enumerateDevices()) ?? [];
  return devices.some((device) => device.kind === kind);
}

/** Waits for the code of the sources. */
export async function untilSourcesLoaded(el: SvcUploader): Promise<void> {
  await until(() => find(el, '.camera-input') !== null);
  await el.updateComplete;
}

/** Counts what the page opens, and replaces devices for faults that cannot be provoked. */
export class DeviceWatch {
  readonly tracks: MediaStreamTrack[] = [];
  /** Replaces the next answers of the browser, in order. */
  readonly answers: (() => Promise<MediaStream>)[] = [];
  readonly constraints: MediaStreamConstraints[] = [];
  readonly #endListeners = new Map<MediaStreamTrack, Set<EventListener>>();
  readonly #getUserMedia = navigator.mediaDevices.getUserMedia;
  readonly #getDisplayMedia = navigator.mediaDevices.getDisplayMedia;

  constructor() {
    const { mediaDevices } = navigator;
    const record = (stream: MediaStream) => {
      for (const track of stream.getTracks()) this.#watch(track);
      return stream;
    };
    mediaDevices.getUserMedia = async (constraints = {}) => {
      this.constraints.push(constraints);
      const answer = this.answers.shift() ?? (() => this.#getUserMedia.call(mediaDevices, constraints));
      return record(await answer());
    };
    // A test cannot press the button of the browser.
    mediaDevices.getDisplayMedia = async () => record(await (this.answers.shift() ?? (async () => pictureStream()))());
  }

  /** Number of devices that are on. */
  get live(): number {
    return this.tracks.filter(({ readyState }) => readyState === 'live').length;
  }

  refuse(name: string): void {
    this.answers.push(() => Promise.reject(new DOMException('', name)));
  }

  /**
   * Ends a track without the page: the device is unplugged, or the person ends its use in the browser. Firefox does not pass the events of
   * a script to such tracks, so the listeners are called.
   */
  lose(track: MediaStreamTrack): void {
    for (const listener of this.#endListeners.get(track) ?? []) listener(new Event('ended'));
    track.stop();
  }

  #watch(track: MediaStreamTrack): void {
    const listeners = new Set<EventListener>();
    const { addEventListener, removeEventListener } = track;
    track.addEventListener = (type: string, listener: EventListener, options?: AddEventListenerOptions) => {
      if (type === 'ended') listeners.add(listener);
      addEventListener.call(track, type, listener, options);
    };
    track.removeEventListener = (type: string, listener: EventListener) => {
      if (type === 'ended') listeners.delete(listener);
      removeEventListener.call(track, type, listener);
    };
    this.#endListeners.set(track, listeners);
    this.tracks.push(track);
  }

  restore(): void {
    for (const track of this.tracks) track.stop();
    navigator.mediaDevices.getUserMedia = this.#getUserMedia;
    navigator.mediaDevices.getDisplayMedia = this.#getDisplayMedia;
  }
}

/** Returns the warnings of Lit about renders that cause another one at once. */
export const renderWarnings = (): string[] =>
  [...((globalThis as { litIssuedWarnings?: Set<string | undefined> }).litIssuedWarnings ?? [])].filter(
    (text): text is string => text?.includes('scheduled an update') ?? false,
  );

/** Replaces what the page, and the page around its frame, allow. */
export function setPermissionsPolicy(allowsFeature: (feature: string) => boolean): { restore(): void } {
  Object.defineProperty(document, 'permissionsPolicy', { value: { allowsFeature }, configurable: true });
  return { restore: () => void delete (document as { permissionsPolicy?: unknown }).permissionsPolicy };
}

/** Tracks what a recording has to release: timers, sound and addresses. */
export function watchResources(): { held: () => string[]; restore: () => void } {
  const live = new Map<unknown, string>();
  const { setInterval, clearInterval, AudioContext } = window;
  const { createObjectURL, revokeObjectURL } = URL;
  const hold = <T>(one: T, kind: string): T => {
    live.set(one, kind);
    return one;
  };
  class WatchedContext extends AudioContext {
    constructor() {
      super();
      live.set(this, 'sound');
    }
    override close(): Promise<void> {
      live.delete(this);
      return super.close();
    }
  }
  Object.assign(window, {
    AudioContext: WatchedContext,
    setInterval: (act: () => void, ms: number) => hold(setInterval(act, ms), 'timer'),
    clearInterval: (timer: number) => {
      live.delete(timer);
      clearInterval(timer);
    },
  });
  Object.assign(URL, {
    createObjectURL: (blob: Blob) => hold(createObjectURL(blob), 'address'),
    revokeObjectURL: (url: string) => {
      live.delete(url);
      revokeObjectURL(url);
    },
  });
  return {
    held: () => [...live.values()],
    restore: () => {
      Object.assign(window, { setInterval, clearInterval, AudioContext });
      Object.assign(URL, { createObjectURL, revokeObjectURL });
    },
  };
}

/** A stream whose first picture arrives when `show` is called. */
export function emptyStream(): { stream: MediaStream; show: () => void } {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d')!;
  const stream = canvas.captureStream(0);
  const track = stream.getVideoTracks()[0] as CanvasCaptureMediaStreamTrack;
  // In Firefox, the stream has the method instead of its track.
  const source = 'requestFrame' in track ? track : (stream as unknown as CanvasCaptureMediaStreamTrack);
  const show = () => {
    context.fillRect(0, 0, canvas.width, canvas.height);
    source.requestFrame();
  };
  return { stream, show };
}

/** A stream with a moving picture, as of a screen. */
export function pictureStream(): MediaStream {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d')!;
  let turn = 0;
  const draw = () => {
    context.fillStyle = `hsl(${turn++ * 7} 80% 50%)`;
    context.fillRect(0, 0, canvas.width, canvas.height);
  };
  draw();
  const timer = setInterval(draw, 50);
  const stream = canvas.captureStream(20);
  stream.getVideoTracks()[0]!.addEventListener('ended', () => clearInterval(timer));
  return stream;
}
