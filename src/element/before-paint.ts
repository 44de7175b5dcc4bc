/** Before the next paint of the window that a node stands in: the one whose script it is may be hidden, and paint nothing. */
export const beforePaint = (node: Node, job: () => void): void =>
  void (node.ownerDocument!.defaultView ?? window).requestAnimationFrame(job);

/** Runs a job once before the next paint, however often it is asked for. */
export class Frame {
  #asked: object | undefined;

  constructor(
    private readonly node: Node,
    private readonly job: () => void,
  ) {}

  ask(): void {
    if (this.#asked) return;
    const asked = (this.#asked = {});
    beforePaint(this.node, () => {
      if (asked !== this.#asked) return;
      this.cancel();
      this.job();
    });
  }

  cancel(): void {
    this.#asked = undefined;
  }
}
