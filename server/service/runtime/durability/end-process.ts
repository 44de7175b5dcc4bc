import { writeSync } from 'node:fs';

/**
 * Ends the process at once after a failed flush of the database.
 *
 * Linux drops bytes that it could not write and reports that once. Nothing that the process still holds can be trusted then: a later flush
 * succeeds without those bytes, and some file systems read older bytes in their place. The process must not close SQLite in an orderly way
 * either, since that copies the log into the database. The next start reads the log with its checksums and writes it again.
 */
export function endProcess(message: string): never {
  try {
    writeSync(2, `svc-blob: ${message}\n`);
  } catch {
    // The message is lost if nobody reads stderr.
  }
  process.kill(process.pid, 'SIGKILL');
  throw new Error(message);
}
