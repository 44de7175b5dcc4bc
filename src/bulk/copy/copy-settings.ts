import type { ObjectProperties } from '../types.js';

/** Options of copies, also of those in a sync. */
export interface CopySettings {
  /** Replaces properties of the sources one by one, and metadata name by name. @default properties of the source */
  properties?: ObjectProperties;
  /** Copies larger objects in parts, several at once. In bytes, from 0; more than 5 GiB count as 5 GiB. @default 256 MiB */
  multipartThreshold?: number;
  /** Never replaces an existing object. @default false */
  onlyNew?: boolean;
}

/** An object to copy from, in the state that has this ETag. */
export interface CopySource {
  bucket: string;
  key: string;
  etag: string;
}
