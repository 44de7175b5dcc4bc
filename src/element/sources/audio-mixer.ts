import { stopTracks } from './device-stream.js';

/** Joins the sound of a screen and a microphone, because recorders record a single track of sound. */
export class AudioMixer {
  /** The picture of the screen with the joined sound. */
  readonly stream: MediaStream;
  readonly #context = new AudioContext();
  readonly #sources: readonly MediaStream[];

  constructor(screen: MediaStream, microphone: MediaStream) {
    const output = this.#context.createMediaStreamDestination();
    this.#sources = [screen, microphone];
    for (const source of this.#sources)
      if (source.getAudioTracks().length > 0) this.#context.createMediaStreamSource(source).connect(output);
    this.stream = new MediaStream([...screen.getVideoTracks(), ...output.stream.getAudioTracks()]);
  }

  close(): void {
    for (const source of this.#sources) stopTracks(source);
    void this.#context.close();
  }
}
