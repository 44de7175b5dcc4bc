/** Does it after `ms`, unless the process has ended by then, which does not wait for it. */
export function unattended(work: () => void, ms: number): void {
  const timer: { unref?(): void } | number = setTimeout(work, ms);
  if (typeof timer === 'object') timer.unref?.();
}
