import { CommanderError } from 'commander';
import { BlobError } from '../../src/protocol/errors.js';
import { printNote } from './output.js';

/** Invalid use of a command. The exit status is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Codes for invalid flags. */
const USAGE_CODES: readonly string[] = [
  'VALIDATION_ERROR',
  'API_KEY_INVALID_NAME',
  'API_KEY_INVALID_SCOPES',
  'API_KEY_INVALID_IPS',
];

/** Prints an error and sets the exit status: 1 if something failed, 2 for invalid use. */
export function reportError(error: unknown): void {
  if (error instanceof CommanderError) {
    // Commander has printed it. Help and version end with 0.
    process.exitCode = error.exitCode === 0 ? 0 : 2;
    return;
  }
  const isUsage = error instanceof UsageError || (error instanceof BlobError && USAGE_CODES.includes(error.code));
  process.exitCode = isUsage ? 2 : 1;
  const code = error instanceof BlobError && !USAGE_CODES.includes(error.code) ? `${error.code}: ` : '';
  const text = `svc-blob: ${code}${messageOf(error)}`;
  // Errors of a service stay on one line, because a second line could imitate our own messages.
  for (const line of error instanceof BlobError ? [text] : text.split('\n')) printNote(line);
}

/** Returns the message of an error, with advice for a port in use. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string };
  if (code === 'EADDRINUSE')
    return `port ${port} of ${address} is in use: stop the other program, or choose another port with --port or --s3-port`;
  // If all addresses of a host failed, only the errors of the single addresses have messages.
  return error.message || (error instanceof AggregateError && error.errors[0]?.message) || code || error.name;
}
