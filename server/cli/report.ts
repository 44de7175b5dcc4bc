import { CommanderError } from 'commander';
import { BlobError } from '../../src/protocol/errors.js';

/** Wrong use of a command: exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Says what went wrong and sets the exit status: 1 something failed, 2 wrong use. */
export function reportFailure(error: unknown): void {
  if (error instanceof CommanderError) {
    // Commander has said it already; help and version end with 0.
    process.exitCode = error.exitCode === 0 ? 0 : 2;
    return;
  }
  const wrongUse = error instanceof UsageError || (error instanceof BlobError && error.code === 'VALIDATION_ERROR');
  process.exitCode = wrongUse ? 2 : 1;
  const code = error instanceof BlobError && error.code !== 'VALIDATION_ERROR' ? `${error.code}: ` : '';
  console.error(`svc-blob: ${code}${error instanceof Error ? error.message : String(error)}`);
}
