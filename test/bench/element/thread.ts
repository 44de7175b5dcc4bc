/** How the page's one thread fares. Chromium tells of every task over 50 ms: script, style, layout and paint alike. */
export interface Thread {
  /** Of those since the watch began; 0 when each was shorter than 50 ms. ms */
  longestTask: number;
  /** Resolves when no task was longer than 50 ms for a while. @returns when the last of them ended, or the next frame from now */
  free(): Promise<number>;
}

const QUIET = 250;

export const nextFrame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));

export function watchThread(): Thread {
  // The task that called us is not ours to judge.
  const began = performance.now();
  let last = 0;
  const thread: Thread = {
    longestTask: 0,
    async free() {
      // What was asked for in this frame is painted before the second one.
      await nextFrame();
      last = Math.max(last, await nextFrame());
      // A task is told of when it has ended.
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
