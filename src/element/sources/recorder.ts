import type { RecordingFormat } from './recording-formats.js';

/** Milliseconds of a chunk. Browsers keep large chunks on the disk, so a long recording needs little memory. */
const CHUNK_MS = 500;
/** Chunks that are left free below the size limit: the running one, the last one, and one for a picture that suddenly changes. */
const FREE_CHUNKS = 3;

/** Reason for the end of a recording: `stopped` by the person, the page or an error, `limit` before it would be too large. */
export type RecordingEnd = 'stopped' | 'limit';

export interface Recording {
  blob: Blob;
  end: RecordingEnd;
}

/** Records a stream. Ends by itself before the recording exceeds a size, and when all tracks have ended. */
export class Recorder {
  readonly #recorder: MediaRecorder;
  readonly #chunks: Blob[] = [];
  readonly #startedAt = performance.now();
  #bytes = 0;
  #largestChunk = 0;
  #end: RecordingEnd = 'stopped';

  /**
   * @param maxBytes largest size of the recording
   * @param onEnd receives the recording once. It is empty if the browser recorded nothing.
   * @throws DOMException if the browser cannot record the stream
   */
  constructor(
    stream: MediaStream,
    format: RecordingFormat,
    private readonly maxBytes: number,
    onEnd: (recording: Recording) => void,
  ) {
    const recorder = (this.#recorder = new MediaRecorder(stream, { mimeType: encoderTypeFor(stream, format) }));
    recorder.addEventListener('dataavailable', ({ data }) => this.#addChunk(data));
    recorder.addEventListener('stop', () => onEnd({ blob: new Blob(this.#chunks, { type: format.type }), end: this.#end }), {
      once: true,
    });
    recorder.start(CHUNK_MS);
  }

  /** Seconds since the start. */
  get seconds(): number {
    return (performance.now() - this.#startedAt) / 1000;
  }

  stop(): void {
    this.#stop('stopped');
  }

  #stop(end: RecordingEnd): void {
    if (this.#recorder.state === 'inactive') return;
    this.#end = end;
    this.#recorder.stop();
  }

  #addChunk(chunk: Blob): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.size;
    this.#largestChunk = Math.max(this.#largestChunk, chunk.size);
    if (this.#bytes + FREE_CHUNKS * this.#largestChunk > this.maxBytes) this.#stop('limit');
  }
}

/** Firefox never ends a recording that names a codec for sound but has none. */
const encoderTypeFor = (stream: MediaStream, { encoderType }: RecordingFormat): string =>
  stream.getAudioTracks().length > 0 ? encoderType : encoderType.replace(/,.*/, '');
