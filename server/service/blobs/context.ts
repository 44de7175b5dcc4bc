import type { BytesDriver } from '../bytes/driver.js';
import type { Metadata } from '../metadata/metadata.js';

/** What every operation on blobs needs. */
export interface BlobsContext {
  metadata: Metadata;
  bytes: BytesDriver;
  /** This process, so that a sweep can tell whose uploads are alive. */
  replica: string;
  /** Reservations of this process that could not be undone when their upload failed; the sweep tries again. */
  stuck: Set<string>;
  /** Blobs of this process that neither a reservation nor a row knows yet. */
  writing: Set<string>;
  /** ms since 1970. */
  now(): number;
}
