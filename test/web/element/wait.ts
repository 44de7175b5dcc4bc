/** Waits for the next event of a type. */
export const once = <K extends keyof HTMLElementEventMap>(target: HTMLElement, type: K): Promise<HTMLElementEventMap[K]> =>
  new Promise((resolve) => target.addEventListener(type, resolve as EventListener, { once: true }));

/** Waits up to ten seconds for a condition, as a busy machine needs. The assertion after it reports what is wrong if the condition stays false. */
export async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 500 && !condition(); turn += 1) await new Promise((resolve) => setTimeout(resolve, 20));
}
