import { nextTask } from '../../engine/waiting.js';

/** Files taken in one go, and milliseconds after which a larger choice lets other work through, so that the page stays alive. */
const AT_ONCE = 100;
const TURN = 8;

/** Gives the first part at once and the others a task apart. */
export async function inSlices<T>(all: readonly T[], take: (some: readonly T[]) => void, signal: AbortSignal): Promise<void> {
  let began = performance.now();
  for (let at = 0; at < all.length && !signal.aborted; at += AT_ONCE) {
    if (performance.now() - began > TURN) {
      await nextTask();
      began = performance.now();
    }
    if (!signal.aborted) take(all.slice(at, at + AT_ONCE));
  }
}
