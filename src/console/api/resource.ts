import { isAbort } from './api-error.js';

/** A record that a page reads and shows, with its state. */
export class Resource<T> {
  value: T | undefined;
  error: unknown;
  isLoading = false;
  #stop = new AbortController();

  /** @param changed called after each change of the state */
  constructor(
    private readonly read: (signal: AbortSignal) => Promise<T>,
    private readonly changed: () => void,
  ) {}

  /** Reads the record, also again. The earlier value stays until then. */
  load = async (): Promise<void> => {
    this.stop();
    const { signal } = (this.#stop = new AbortController());
    this.isLoading = true;
    this.error = undefined;
    this.changed();
    try {
      this.value = await this.read(signal);
    } catch (error) {
      if (signal.aborted || isAbort(error)) return;
      this.error = error;
    }
    if (signal.aborted) return;
    this.isLoading = false;
    this.changed();
  };

  /** Reads the record again in the background. If that fails, everything stays as it is. */
  refresh = async (): Promise<void> => {
    if (this.isLoading) return;
    this.stop();
    const { signal } = (this.#stop = new AbortController());
    const value = await this.read(signal).catch(() => undefined);
    if (signal.aborted || value === undefined) return;
    this.value = value;
    this.error = undefined;
    this.changed();
  };

  /** Stops the request. */
  stop(): void {
    this.#stop.abort();
  }
}
