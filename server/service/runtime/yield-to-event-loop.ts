/**
 * For loops over many quick queries: SQLite answers within this thread, so without a pause nothing else is answered meanwhile.
 * @param ms how long such a loop may keep the event loop.
 * @returns to be called and awaited in each round.
 */
export function yieldToEventLoop(ms = 10): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < ms) return;
    await new Promise((resolve) => setImmediate(resolve));
    since = performance.now();
  };
}
