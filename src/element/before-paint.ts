/** Runs a job before the next paint of the window that shows the node. The script's own window may be hidden and paint nothing. */
export const beforePaint = (node: Node, job: () => void): void =>
  void (node.ownerDocument!.defaultView ?? window).requestAnimationFrame(job);

/** Runs a job once before the next paint, however often it is scheduled. */
export class RenderScheduler {
  #scheduled: object | undefined;

  constructor(
    private readonly node: Node,
    private readonly job: () => void,
  ) {}

  schedule(): void {
    if (this.#scheduled) return;
    const token = (this.#scheduled = {});
    beforePaint(this.node, () => {
      if (token !== this.#scheduled) return;
      this.cancel();
      this.job();
    });
  }

  cancel(): void {
    this.#scheduled = undefined;
  }
}
