import { S3Error } from '../errors.js';
import type { LocalCode } from '../errors.js';
import type { Target } from '../types.js';

/** Disk errors that every other file on the same disk would meet too. */
const FATAL_ERRORS: ReadonlyMap<string, [code: LocalCode, message: string]> = new Map([
  ['ENOSPC', ['TargetFull', 'The disk of the target is full']],
  ['EDQUOT', ['TargetFull', 'The quota on the disk of the target is used up']],
  ['EROFS', ['TargetReadOnly', 'The disk of the target is read-only']],
]);

/** Converts an error of a full or read-only disk into one that ends the transfer: every other file would fail as well. */
export function toFatalDiskError(error: unknown, target: Target, path: string): unknown {
  const cause = error instanceof S3Error ? (error.cause as { code?: string } | undefined) : undefined;
  const fatal = FATAL_ERRORS.get(cause?.code ?? '');
  if (fatal === undefined || target.isOnDisk?.(path) === false) return error;
  const [code, message] = fatal;
  return new S3Error(code, `${message} (${(error as S3Error).message}).`, { cause: error });
}
