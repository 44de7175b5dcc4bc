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

/** Limits of the programs that make pictures of videos and PDFs. */
export const FRAME_LIMITS = {
  /** Bytes of a video, which is copied to a temporary file. */
  videoBytes: 2 * 1024 ** 3,
  pdfBytes: 256 * 1024 ** 2,
  /** Pixels of a frame. 8K video has 35 million. */
  pixels: 60_000_000,
  /** Pixels of the longer side of the picture. */
  side: 1920,
  /** Address space of a program, bytes. */
  memory: 2 * 1024 ** 3,
  /** Time of one run, and its CPU time. A video needs up to three runs. The programs have the lowest priority, so a busy machine delays them. */
  milliseconds: 60_000,
  /** Bytes of the picture. */
  output: 32 * 1024 ** 2,
  /** Programs at once. */
  programs: 3,
  /** Programs at once for one account, so that its slow files never occupy every place. */
  programsPerAccount: 2,
  /** Files that wait, over all accounts. */
  waiting: 50,
  /** Files that wait or run for one account. */
  perAccount: 20,
} as const;

/** Bounds of the stored results, over all accounts and replicas. */
export const DERIVED_LIMITS = { files: 50_000, bytes: 1024 ** 3 } as const;
