/** Runs a job once before the next paint, however often it is asked for. */
export class Frame {
  #asked: number | undefined;

  constructor(private readonly job: () => void) {}

  ask(): void {
    this.#asked ??= requestAnimationFrame(() => {
      this.#asked = undefined;
      this.job();
    });
  }

  cancel(): void {
    if (this.#asked !== undefined) cancelAnimationFrame(this.#asked);
    this.#asked = undefined;
  }
}
