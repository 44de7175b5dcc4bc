const SLICE_LENGTH = 100;

/** Milliseconds of work after which other tasks of the page get their turn. */
const MAX_TASK_MS = 8;

/** Processes a list in slices. The first slice is processed synchronously, later ones in tasks of their own. */
export async function processInSlices<T>(
  items: readonly T[],
  process: (slice: readonly T[]) => void,
  signal: AbortSignal,
): Promise<void> {
  let startedAt = performance.now();
  for (let index = 0; index < items.length && !signal.aborted; index += SLICE_LENGTH) {
    if (performance.now() - startedAt > MAX_TASK_MS) {
      await nextTask();
      startedAt = performance.now();
    }
    if (!signal.aborted) process(items.slice(index, index + SLICE_LENGTH));
  }
}

/** Resolves in a new task, after pending painting and input. */
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
