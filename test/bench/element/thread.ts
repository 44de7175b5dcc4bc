/** Watches the main thread of the page. Chromium reports every task over 50 ms, whether script, style, layout or paint. */
export interface Thread {
  /** The longest task since the watch began, in milliseconds. 0 if all took less than 50 ms. */
  longestTask: number;
  /** Resolves when no task took over 50 ms for a while. @returns the end of the last long task, or the time of the next frame */
  free(): Promise<number>;
}

const QUIET = 250;

export const nextFrame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));

export function watchThread(): Thread {
  // The current task belongs to the caller.
  const began = performance.now();
  let last = 0;
  const thread: Thread = {
    longestTask: 0,
    async free() {
      // Changes made in this frame are painted before the second frame.
      await nextFrame();
      last = Math.max(last, await nextFrame());
      // Chromium reports a task after its end.
      for (let seen = -1; seen !== last;) {
        seen = last;
        await new Promise((resolve) => setTimeout(resolve, QUIET));
      }
      return last;
    },
  };
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      if (startTime < began) continue;
      thread.longestTask = Math.max(thread.longestTask, duration);
      last = Math.max(last, startTime + duration);
    }
  }).observe({ type: 'longtask' });
  return thread;
}
