/** Tracks listeners that are added to window and document after this call. */
export function watchListeners(): { left: () => string[]; stop: () => void } {
  const live = new Map<string, number>();
  const restore = [window, document].map((target) => {
    const { addEventListener, removeEventListener } = target;
    const change = (type: string, by: number): void => void live.set(type, (live.get(type) ?? 0) + by);
    target.addEventListener = (type: string, listener: EventListener, options?: AddEventListenerOptions) => {
      change(type, 1);
      const removed = (): void => change(type, -1);
      if (typeof options === 'object') options.signal?.addEventListener('abort', removed, { once: true });
      addEventListener.call(target, type, listener, options);
    };
    target.removeEventListener = (type: string, listener: EventListener, options?: EventListenerOptions) => {
      change(type, -1);
      removeEventListener.call(target, type, listener, options);
    };
    return () => Object.assign(target, { addEventListener, removeEventListener });
  });
  return {
    left: () => [...live].filter(([, count]) => count > 0).map(([type, count]) => `${type}: ${count}`),
    stop: () => restore.forEach((one) => one()),
  };
}
