import type { ListFlags, TransferFlags } from './flags.js';

export interface CpFlags extends TransferFlags, ListFlags {
  recursive?: true;
  expectedSize?: number;
  /** False with `--no-clobber`. */
  clobber: boolean;
}

/** Returns whether the command copies a tree or a list instead of one file. */
export const takesManyFiles = (flags: CpFlags): boolean => flags.recursive === true || flags.filesFrom !== undefined;
