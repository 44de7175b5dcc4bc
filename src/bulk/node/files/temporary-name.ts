import { dirname, join } from 'node:path';
import { hash64 } from '../../journal/hash64.js';

/** Matches the names that `temporaryNameFor` returns, without their folder. */
export const TEMPORARY_NAME = /^\.svc-[0-9a-z]{11,13}\.part$/;

/**
 * Returns the path of the temporary file of a download. The next run with the same `own` finds it again. The name is short enough for
 * every file system.
 */
export const temporaryNameFor = (full: string, own = ''): string =>
  join(
    dirname(full),
    `.svc-${hash64(full + own)
      .toString(36)
      .padStart(13, '0')}.part`,
  );
