import type { FinishedS3Request } from '../http/metrics.js';
import type { Traffic } from '../http/traffic.js';
import type { MinimumRate } from '../http/minimum-rate.js';
import type { Creator } from '../identity/creator.js';
import type { S3Grant } from '../identity/s3-credentials.js';
import type { BlobStorage } from '../storage/blob-storage.js';
import type { FindKeyPair } from './sigv4/verify-signature.js';

/** Dependencies and settings of the S3 endpoint. */
export interface S3Service {
  blobs: BlobStorage;
  findKeyPair: FindKeyPair<S3Grant>;
  /** Finds who acts with a key pair, for the activity log. @param id the access key id */
  creatorOfKeyPair(id: string): Promise<Creator>;
  /** The region that GetBucketLocation returns. Signatures for other regions are valid too. */
  region: string;
  /** Host names for virtual-host addressing (`bucket.localhost`), longest first. */
  domains: readonly string[];
  /** ms since 1970. */
  now(): number;
  /** Addresses and ranges of proxies whose `X-Forwarded-*` headers are trusted. */
  trustedProxies: readonly string[];
  /** The slowest rate at which clients may send a body. */
  minimumRate: MinimumRate;
  /** Counts a signed request of an account. @throws `RATE_LIMIT_EXCEEDED` */
  countRequest(accountId: string): Promise<void>;
  /** Counts an anonymous listing from an address. @throws `RATE_LIMIT_EXCEEDED` for too many from its network. */
  countListing(address: string): Promise<void>;
  onRequestStart?(): void;
  onRequestEnd?(entry: S3LogEntry): void;
}

/** The log entry of one request. It contains no secret and no signature. */
export interface S3LogEntry extends FinishedS3Request {
  requestId: string;
  method: string;
  bucket: string | undefined;
  key: string | undefined;
  accessKeyId: string | undefined;
  /** The account whose statistics count the request; undefined if it is unknown. */
  account: string | undefined;
  traffic: Traffic;
  /** The error behind an `InternalError`. */
  cause?: unknown;
}

/** Log fields that become known while a request is handled. */
export type LogFields = Partial<Pick<S3LogEntry, 'command' | 'bucket' | 'key' | 'code' | 'accessKeyId' | 'account' | 'cause'>>;
