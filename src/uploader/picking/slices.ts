/** Files taken in one go; a larger choice is taken in parts, so that the page stays alive. */
const AT_ONCE = 400;

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
  for (let at = 0; at < all.length && !signal.aborted; at += AT_ONCE) {
    if (at > 0) await breathe();
    if (!signal.aborted) take(all.slice(at, at + AT_ONCE));
  }
}
