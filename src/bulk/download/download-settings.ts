import type { Target } from '../types.js';

/** Settings of a download. */
export interface DownloadSettings {
  bucket: string;
  target: Target;
  /** Bytes of the ranges in which large objects are fetched, from 1 to 5 GiB. @default the object's part size, else 8 MiB */
  partSize?: number;
  /** Gives files the modification times and modes that uploads recorded. @default true */
  keepTimes?: boolean;
  /**
   * Gives files all permissions that the upload recorded, execute bits included. Set it only for a bucket whose writers you trust.
   * Otherwise a recorded mode can only take permissions away from those of a new file.
   * @default false
   */
  preserveMode?: boolean;
  /** Never replaces a file; existing files are skipped. @default false */
  onlyNew?: boolean;
}

/** A downloaded file. A sync records it in the journal. */
export interface DownloadedFile {
  size: number;
  etag: string;
  mtimeNs: bigint;
  /** Bytes that an earlier run had fetched. */
  resumedBytes?: number;
}
