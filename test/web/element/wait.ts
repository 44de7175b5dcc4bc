/** Waits for the next event of a type. */
export const once = <K extends keyof HTMLElementEventMap>(target: HTMLElement, type: K): Promise<HTMLElementEventMap[K]> =>
  new Promise((resolve) => target.addEventListener(type, resolve as EventListener, { once: true }));

/**
 * Waits up to a minute for a condition. A busy machine opens cameras and starts encoders slowly.
 *
 * @throws Error with the text of the condition if it stays false
 */
export async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 3000; turn += 1) {
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`The condition stayed false: ${condition}`);
}
