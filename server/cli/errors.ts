import { CommanderError } from 'commander';
import { BlobError } from '../../src/protocol/errors.js';
import { printNote } from './output.js';

/** Invalid use of a command. The exit status is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Prints an error and sets the exit status: 1 if something failed, 2 for invalid use. */
export function reportFailure(error: unknown): void {
  if (error instanceof CommanderError) {
    // Commander has printed it. Help and version end with 0.
    process.exitCode = error.exitCode === 0 ? 0 : 2;
    return;
  }
  const isUsage = error instanceof UsageError || (error instanceof BlobError && error.code === 'VALIDATION_ERROR');
  process.exitCode = isUsage ? 2 : 1;
  const code = error instanceof BlobError && error.code !== 'VALIDATION_ERROR' ? `${error.code}: ` : '';
  const text = `svc-blob: ${code}${explain(error)}`;
  // Errors of a service stay on one line, because a second line could imitate our own messages.
  for (const line of error instanceof BlobError ? [text] : text.split('\n')) printNote(line);
}

/** Returns the message of an error, with advice where the system gives none. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string };
  if (code === 'EADDRINUSE')
    return `port ${port} of ${address} is in use: stop the other program, or choose other ports with --port and --s3-port`;
  // All addresses of a host failed: only the single errors have messages.
  return error.message || (error instanceof AggregateError && error.errors[0]?.message) || code || error.name;
}

/** Parses the number of a flag. The service checks its range. @throws UsageError */
export function numberOption(
  flag: string,
  text: string | undefined,
  parse: (text: string) => number | undefined = Number,
): number | undefined {
  if (text === undefined) return undefined;
  const value = parse(text);
  if (value === undefined || Number.isNaN(value)) throw new UsageError(`${flag} must be a number; got "${text}"`);
  return value;
}

/** Parses `--metadata key=value …`. @throws UsageError */
export function metadataOption(pairs: string[] | undefined): Record<string, string> | undefined {
  const entries = pairs?.map((pair) => {
    const equals = pair.indexOf('=');
    if (equals < 1) throw new UsageError(`--metadata must be key=value; got "${pair}"`);
    return [pair.slice(0, equals), pair.slice(equals + 1)];
  });
  return entries && (Object.fromEntries(entries) as Record<string, string>);
}
