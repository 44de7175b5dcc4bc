import type { ObjectProperties } from '../types.js';

/** Settings for the objects that an upload creates. */
export interface UploadSettings {
  bucket: string;
  /** Properties of every object. @default none */
  properties: ObjectProperties;
  /** Returns the media type for a key; `properties.contentType` takes precedence. @default no type */
  contentType?: (path: string) => string | undefined;
  /**
   * Larger files are uploaded in parts, in bytes from 0 to 5 TiB. Smaller files are held in memory, so at most 1 GiB counts.
   * @default twice the part size, at most 16 MiB
   */
  multipartThreshold?: number;
  /** Bytes of a part, from 1 to 5 GiB. Raised to 5 MiB, and as far as 10,000 parts need. @default 8388608 (8 MiB) */
  partSize?: number;
  /** Never replaces an object (`If-None-Match: *`). Existing objects are skipped. @default false */
  onlyNew?: boolean;
  /** With `onlyNew`, an object with the same bytes counts as uploaded: an earlier attempt may have created it. @default false */
  takeEqual?: boolean;
  /** Stores modification time and mode in the object's metadata. @default true */
  keepTimes?: boolean;
}

/** Result of one upload. A sync remembers it. */
export interface UploadedFile {
  etag: string;
  size: number;
  mtimeNs: bigint | undefined;
  /** Bytes that an earlier run had sent. */
  resumedBytes?: number;
}
