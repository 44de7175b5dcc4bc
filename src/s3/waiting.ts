import { S3Error } from './errors.js';

/** @throws S3Error `Aborted` */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw aborted(signal);
}

export const aborted = (signal: AbortSignal): S3Error =>
  signal.reason instanceof S3Error ? signal.reason : new S3Error('Aborted', 'The run was stopped.', { cause: signal.reason });

/** Resolves after `ms`; rejects as soon as the signal fires. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(aborted(signal));
    const stop = (): void => {
      clearTimeout(timer);
      reject(aborted(signal));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
    return undefined;
  });
}
