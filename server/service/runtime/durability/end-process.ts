import { writeSync } from 'node:fs';

/**
 * Ends the process at once after a failed flush of the database.
 *
 * Linux drops bytes that it could not write and reports the failure once. A later flush succeeds without these bytes, and some file systems
 * then return older bytes. Closing SQLite in an orderly way would copy the log into the database, so the process is killed. The next start reads
 * the log with its checksums and writes it again.
 */
export function endProcess(message: string): never {
  try {
    writeSync(2, `svc-blob: ${message}\n`);
  } catch {
    // The message is lost if stderr is closed.
  }
  process.kill(process.pid, 'SIGKILL');
  throw new Error(message);
}
