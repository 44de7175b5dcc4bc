import { S3Error, toS3Error } from '../errors.js';
import type { Progress, TransferEvent } from '../types.js';

/** Who is told of a run. */
export interface ListenerOptions {
  /** What it throws ends the run (`ListenerFailed`). */
  onEvent?: (event: TransferEvent) => void;
  /** Told every 250 ms, and once at the end; as with `onEvent`. */
  onProgress?: (progress: Progress) => void;
}

const EVERY_MS = 250;

/** Tells them. What one throws ends the run: where it was called nobody could take it, and the rest would go on unheard. */
export class Listeners {
  /** What one threw. */
  broken: S3Error | undefined;
  readonly #timer: ReturnType<typeof setInterval> | undefined;

  constructor(
    private readonly options: ListenerOptions,
    private readonly progress: () => Progress,
    private readonly stop: (error: S3Error) => void,
  ) {
    if (options.onProgress !== undefined) this.#timer = setInterval(() => this.#tellProgress(), EVERY_MS);
  }

  emit(event: TransferEvent): void {
    if (this.options.onEvent !== undefined) this.#tell(this.options.onEvent, event);
  }

  /** The last word on progress. */
  close(): void {
    clearInterval(this.#timer);
    this.#tellProgress();
  }

  #tellProgress(): void {
    if (this.options.onProgress !== undefined) this.#tell(this.options.onProgress, this.progress());
  }

  #tell<News>(listener: (news: News) => void, news: News): void {
    try {
      listener(news);
    } catch (cause) {
      this.broken ??= new S3Error('ListenerFailed', `A listener threw: ${toS3Error(cause).message}`, { cause });
      this.stop(this.broken);
    }
  }
}
