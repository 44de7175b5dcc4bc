/** Milliseconds after which a part that could not be loaded is loaded again. */
const RELOAD_DELAY_MS = 10_000;

/** A part of the view that loads when it is first rendered, such as the list of files. */
export class LazyPart<T> {
  #part: T | undefined;
  #loading: Promise<void> | undefined;
  #hasFailed = false;

  /**
   * @param create loads the code of the part and creates it
   * @param onChange the part is ready, or could not be loaded, or may be loaded again
   */
  constructor(
    private readonly create: () => Promise<T>,
    private readonly onChange: () => void,
  ) {}

  /** The part if it is loaded. Does not load it. */
  get loaded(): T | undefined {
    return this.#part;
  }

  /** Resolves when the part is loaded or has failed to load; undefined if it is not being loaded. */
  get loading(): Promise<void> | undefined {
    return this.#loading;
  }

  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Returns the part. If it is not loaded yet, starts to load it and returns undefined. */
  use(): T | undefined {
    if (this.#part === undefined && !this.#hasFailed) this.#loading ??= this.#load();
    return this.#part;
  }

  /** Lets the next `use` load a part again that could not be loaded. */
  forgetFailure(): void {
    this.#hasFailed = false;
  }

  async #load(): Promise<void> {
    try {
      this.#part = await this.create();
    } catch {
      this.#hasFailed = true;
      setTimeout(() => {
        this.forgetFailure();
        this.onChange();
      }, RELOAD_DELAY_MS);
    }
    this.#loading = undefined;
    this.onChange();
  }
}
