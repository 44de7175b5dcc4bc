/** Calls `work` after `ms` milliseconds. The timer does not keep the process alive. */
export function unrefTimer(work: () => void, ms: number): void {
  const timer: { unref?(): void } | number = setTimeout(work, ms);
  if (typeof timer === 'object') timer.unref?.();
}
