/** A typed set of listeners. `on` returns a function that removes the listener. */
export class EventEmitter<Events> {
  readonly #listeners = new Map<keyof Events, Set<(event: never) => void>>();

  on<K extends keyof Events>(type: K, listener: (event: Events[K]) => void): () => void {
    const set = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, set.add(listener));
    return () => void set.delete(listener);
  }

  /** Calls all listeners. An error of one is reported like any uncaught error and does not stop the others. */
  emit<K extends keyof Events>(type: K, event: Events[K]): void {
    for (const listener of this.#listeners.get(type) ?? []) {
      try {
        (listener as (event: Events[K]) => void)(event);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  clear(): void {
    this.#listeners.clear();
  }
}
