/** Turns the devices of a stream off. */
export function stopTracks(stream: MediaStream | undefined): void {
  for (const track of stream?.getTracks() ?? []) track.stop();
}

/** The stream was closed while its devices were being opened. */
export class StreamClosedError extends Error {}

/**
 * The stream of a camera, a microphone or a screen. All of its tracks stop when it is closed. A device that the browser opens too late is
 * stopped at once.
 */
export class DeviceStream {
  #tracks: MediaStreamTrack[] = [];
  /** Identifies the present request. A later one, and `close`, replace it. */
  #request: object | undefined;

  /**
   * @param onLost a track ended although the page did not stop it: the device is gone, or the person ended its use in the browser
   * @param onPageHide the page is left. The browser may keep it for Back, and the camera would stay on.
   */
  constructor(
    private readonly onLost: () => void,
    private readonly onPageHide: () => void,
  ) {}

  /**
   * Opens devices. The caller closes an earlier stream first.
   *
   * @throws StreamClosedError if the stream was closed meanwhile; DOMException of the browser
   */
  async open(request: () => Promise<MediaStream>): Promise<MediaStream> {
    const current = (this.#request = {});
    addEventListener('pagehide', this.onPageHide);
    const stream = await request();
    if (current !== this.#request) {
      stopTracks(stream);
      throw new StreamClosedError();
    }
    this.#tracks = stream.getTracks();
    for (const track of this.#tracks) track.addEventListener('ended', this.onLost);
    return stream;
  }

  close(): void {
    this.#request = undefined;
    removeEventListener('pagehide', this.onPageHide);
    for (const track of this.#tracks) {
      track.removeEventListener('ended', this.onLost);
      track.stop();
    }
    this.#tracks = [];
  }
}
