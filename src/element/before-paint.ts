/** Before the next paint of the window that a node stands in: the one whose script it is may be hidden, and paint nothing. */
export const beforePaint = (node: Node, job: () => void): void =>
  void (node.ownerDocument!.defaultView ?? window).requestAnimationFrame(job);

/** Runs a job once before the next paint, however often it is asked for. */
export class RenderScheduler {
  #scheduled: object | undefined;

  constructor(
    private readonly node: Node,
    private readonly job: () => void,
  ) {}

  schedule(): void {
    if (this.#scheduled) return;
    const asked = (this.#scheduled = {});
    beforePaint(this.node, () => {
      if (asked !== this.#scheduled) return;
      this.cancel();
      this.job();
    });
  }

  cancel(): void {
    this.#scheduled = undefined;
  }
}
