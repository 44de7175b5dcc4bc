import { CommanderError } from 'commander';
import { BlobError } from '../../src/protocol/errors.js';
import { printNote } from './output.js';

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
  const text = `svc-blob: ${code}${explain(error)}`;
  // Only our own errors may have several lines: a service could imitate one of our messages in a line of its own.
  for (const line of error instanceof BlobError ? [text] : text.split('\n')) printNote(line);
}

/** What a failure says; where the system's own words leave open what to do, in ours. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string };
  if (code === 'EADDRINUSE')
    return `port ${port} of ${address} is taken: end what listens there, or choose others with --port and --s3-port`;
  // Several addresses of one host that all failed: the words are in each.
  return error.message || (error instanceof AggregateError && error.errors[0]?.message) || code || error.name;
}

/** A number from a flag; its bounds are the service's to judge. @throws UsageError. */
export function numberOption(
  flag: string,
  text: string | undefined,
  parse: (text: string) => number | undefined = Number,
): number | undefined {
  if (text === undefined) return undefined;
  const value = parse(text);
  if (value === undefined || Number.isNaN(value)) throw new UsageError(`${flag} must be a number, not "${text}"`);
  return value;
}

/** `--metadata key=value …`. @throws UsageError. */
export function metadataOption(pairs: string[] | undefined): Record<string, string> | undefined {
  const entries = pairs?.map((pair) => {
    const at = pair.indexOf('=');
    if (at < 1) throw new UsageError(`--metadata wants key=value, not "${pair}"`);
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  return entries && (Object.fromEntries(entries) as Record<string, string>);
}
