import { availableParallelism } from 'node:os';

/** Limits of the work that one image may cause. */
export const IMAGE_LIMITS = {
  /** Bytes of the file. */
  bytes: 64 * 1024 * 1024,
  /** Pixels of the source. Cameras of phones have up to 50 million. */
  pixels: 60_000_000,
  /** Resident bytes of the process that resizes. */
  memory: 1024 * 1024 * 1024,
  /** Time of the process for one image. */
  milliseconds: 20_000,
  /** Images at once. */
  processes: Math.max(1, Math.min(4, availableParallelism() - 1)),
  /** Images that wait, over all accounts. */
  waiting: 200,
  /** Images that wait or run for one account. */
  perAccount: 100,
} as const;

/** Bounds of the stored results, over all accounts and replicas. */
export const DERIVED_LIMITS = { files: 50_000, bytes: 1024 ** 3 } as const;
