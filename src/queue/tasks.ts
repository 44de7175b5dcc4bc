/** Rejects with the signal's reason as soon as it aborts, else settles as the promise does. Who aborts hears of no later rejection. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      promise.catch(() => {});
      reject(signal.reason);
      return;
    }
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Taken in one go, and milliseconds after which a larger number lets other work through, so that the page stays alive. */
const AT_ONCE = 100;
const TURN = 8;

/** Gives the first part at once and the others a task apart. */
export async function processInSlices<T>(
  all: readonly T[],
  take: (some: readonly T[]) => void,
  signal: AbortSignal,
): Promise<void> {
  let began = performance.now();
  for (let at = 0; at < all.length && !signal.aborted; at += AT_ONCE) {
    if (performance.now() - began > TURN) {
      await nextTask();
      began = performance.now();
    }
    if (!signal.aborted) take(all.slice(at, at + AT_ONCE));
  }
}

/** Resolves in a task of its own, so that what was to be painted or clicked meanwhile comes first. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
