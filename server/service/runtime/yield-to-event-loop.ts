/**
 * Makes a pause for loops over many quick queries. SQLite runs in this thread, so such a loop would block all requests.
 * @param ms time between two pauses.
 * @returns a function that each round of the loop awaits.
 */
export function yieldToEventLoop(ms = 10): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < ms) return;
    await new Promise((resolve) => setImmediate(resolve));
    since = performance.now();
  };
}
