/** The process or the machine has no free file descriptor. A worker thread that cannot start lacks them as well. */
const CODES = new Set<unknown>(['EMFILE', 'ENFILE', 'ERR_WORKER_INIT_FAILED']);

/** @returns whether an operation failed because no file descriptor was free. */
export function isOutOfDescriptors(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (CODES.has((cause as NodeJS.ErrnoException).code)) return true;
  return false;
}
