import type { BytesDriver } from '../drivers/bytes/driver.js';
import type { Heartbeat } from './uploads/heartbeat.js';
import type { ScanPolicy } from './scans/scan-policy.js';
import type { Metadata } from '../drivers/metadata/metadata.js';

/** A stored blob that could not be read. */
export interface ReadFailure {
  /** `short`, `long`: the length differs from the row. `unavailable`: the store did not respond or broke off. */
  kind: 'missing' | 'short' | 'long' | 'unavailable' | 'other';
  blob: string;
  cause: unknown;
}

/** Bounds of everything that is derived from files, over all accounts and replicas. */
export interface DerivedLimits {
  files: number;
  bytes: number;
}

/** The state that all operations of the storage share. */
export interface StorageContext {
  metadata: Metadata;
  bytes: BytesDriver;
  /** Random id of this process. The sweep decides by it whose uploads are alive. */
  replica: string;
  /** Reservations of this process whose release failed. The sweep tries again. */
  pendingReleases: Set<string>;
  /** Blobs that this process writes without a reservation and without a row. The sweep of orphans spares them. */
  unrecordedBlobs: Set<string>;
  /** Reports a stored blob that could not be read as its row describes it. */
  reportReadFailure(failure: ReadFailure): void;
  /** Reports that a transaction wrote deliveries of webhooks. It may still fail to commit. */
  reportEvents(): void;
  /** Reports that a transaction wrote a file that must be scanned. It may still fail to commit. */
  reportPendingScan(): void;
  /** Decides which files must be scanned, and which may be delivered. */
  scanPolicy: ScanPolicy;
  /** Signs of life of this process. */
  heartbeat: Heartbeat;
  /** Uploads of this process that have neither committed nor released their reservation. */
  runningUploads: Set<Promise<unknown>>;
  /** Bounds of resized images. */
  derivedLimits: DerivedLimits;
  /** Counts uploads of an account for the statistics. */
  countUploads(accountId: string, counts: { uploads?: number; failedUploads?: number }): void;
  /** ms since 1970 by the database's clock, which all replicas share. */
  now(): number;
}
