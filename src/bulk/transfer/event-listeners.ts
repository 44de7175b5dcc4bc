import { S3Error, toS3Error } from '../errors.js';
import type { Progress, TransferEvent } from '../types.js';
import type { ListenerOptions } from './run-options.js';

const PROGRESS_INTERVAL_MS = 250;

/** Calls the callbacks of a transfer. An error in a callback stops the transfer, because no caller could catch it. */
export class EventListeners {
  /** The first error that a callback threw. */
  error: S3Error | undefined;
  readonly #timer: ReturnType<typeof setInterval> | undefined;

  constructor(
    private readonly options: ListenerOptions,
    private readonly progress: () => Progress,
    private readonly stop: (error: S3Error) => void,
  ) {
    if (options.onProgress !== undefined) this.#timer = setInterval(() => this.#emitProgress(), PROGRESS_INTERVAL_MS);
  }

  get hasEventListener(): boolean {
    return this.options.onEvent !== undefined;
  }

  emit(event: TransferEvent): void {
    if (this.options.onEvent !== undefined) this.#call(this.options.onEvent, event);
  }

  /** Stops the timer and reports progress for the last time. */
  close(): void {
    clearInterval(this.#timer);
    this.#emitProgress();
  }

  #emitProgress(): void {
    if (this.options.onProgress !== undefined) this.#call(this.options.onProgress, this.progress());
  }

  #call<Argument>(listener: (argument: Argument) => void, argument: Argument): void {
    try {
      listener(argument);
    } catch (cause) {
      this.error ??= new S3Error('ListenerFailed', `onEvent or onProgress threw an error: ${toS3Error(cause).message}`, {
        cause,
      });
      this.stop(this.error);
    }
  }
}
