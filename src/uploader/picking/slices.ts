/** Files taken in one go, and milliseconds after which a larger choice lets other work through, so that the page stays alive. */
const AT_ONCE = 100;
const TURN = 8;

/** Lets the browser paint and the person click. */
const breathe = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });

/** Gives the first part at once and the others a task apart. */
export async function inSlices<T>(all: readonly T[], take: (some: readonly T[]) => void, signal: AbortSignal): Promise<void> {
  let began = performance.now();
  for (let at = 0; at < all.length && !signal.aborted; at += AT_ONCE) {
    if (performance.now() - began > TURN) {
      await breathe();
      began = performance.now();
    }
    if (!signal.aborted) take(all.slice(at, at + AT_ONCE));
  }
}
