import type { BytesDriver } from '../drivers/bytes/driver.js';
import type { Heartbeat } from './uploads/heartbeat.js';
import type { Metadata } from '../drivers/metadata/metadata.js';

/** A stored blob that could not be read. */
export interface ReadFailure {
  /** `short`, `long`: another length than its row states. `unavailable`: the store broke off or did not answer. */
  kind: 'missing' | 'short' | 'long' | 'unavailable' | 'other';
  blob: string;
  cause: unknown;
}

/** What every operation on blobs needs. */
export interface StorageContext {
  metadata: Metadata;
  bytes: BytesDriver;
  /** This process, so that a sweep can tell whose uploads are alive. */
  replica: string;
  /** Reservations of this process that could not be undone when their upload failed; the sweep tries again. */
  pendingReleases: Set<string>;
  /** Blobs of this process that neither a reservation nor a row knows yet. */
  unrecordedBlobs: Set<string>;
  /** Called for every stored blob that could not be read as its row describes it. */
  reportReadFailure(failure: ReadFailure): void;
  /** Signs of life of this process. */
  heartbeat: Heartbeat;
  /** Uploads of this process that are under way, until what they held is committed or released. */
  runningUploads: Set<Promise<unknown>>;
  /** ms since 1970, by the clock that all replicas share. */
  now(): number;
}
