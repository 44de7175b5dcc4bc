/** The process or the machine has as many open files and connections as it may have. A thread that cannot start lacks them too. */
const CODES = new Set<unknown>(['EMFILE', 'ENFILE', 'ERR_WORKER_INIT_FAILED']);

/** Whether an operation failed because no file descriptor was free. */
export function isOutOfDescriptors(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (CODES.has((cause as NodeJS.ErrnoException).code)) return true;
  return false;
}
