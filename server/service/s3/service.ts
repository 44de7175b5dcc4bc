import type { Blobs, Bucket } from '../storage/blobs.js';
import type { S3Grant } from '../identity/s3-credentials.js';
import type { FinishedS3Request } from '../http/metrics.js';
import type { MinimumRate } from '../http/minimum-rate.js';
import type { Payload } from './messages/payload.js';
import type { RawRequest, S3Request } from './messages/request.js';
import type { FindSecret } from './sigv4/verify.js';
import type { Storage } from '../identity/credential.js';

/** What the endpoint stands on. */
export interface S3Service {
  blobs: Blobs;
  findCredential: FindSecret<S3Grant>;
  /** What GetBucketLocation answers; signatures for other regions are good too. */
  region: string;
  /** Host names of the endpoint under which buckets can stand as a label (`bucket.localhost`), longest first. */
  domains: readonly string[];
  /** ms since 1970. */
  now(): number;
  /** Proxies whose `X-Forwarded-*` headers are believed: addresses and ranges. */
  trustedProxies: readonly string[];
  /** What a body has to bring to be read on. */
  minimumRate: MinimumRate;
  /** Counts a signed request of an account. @throws when its budget is used up. */
  admit(accountId: string): Promise<void>;
  /** Counts an anonymous listing from an address. @throws when the budget of its network is used up. */
  admitListing(address: string): Promise<void>;
  /** Told of every request that begins, and of its end. */
  began?(): void;
  ended?(entry: S3LogEntry): void;
}

/** What may be told of a request: never a credential or a signature. */
export interface S3LogEntry extends FinishedS3Request {
  requestId: string;
  method: string;
  bucket: string | undefined;
  key: string | undefined;
  accessKeyId: string | undefined;
  /** What an InternalError came from. */
  cause?: unknown;
}

/** A request as it came, before anything of it was parsed. */
export interface Incoming extends RawRequest {
  /** Bytes of the body; throws when it ends early. Opened once, and only when the request is worth reading. */
  body(): AsyncIterable<Buffer>;
  signal: AbortSignal;
}

export type Trace = Partial<Pick<S3LogEntry, 'command' | 'bucket' | 'key' | 'code' | 'accessKeyId' | 'cause'>>;

/** One authenticated request on its way through a command. */
export interface Call {
  service: S3Service;
  request: S3Request;
  grant: S3Grant;
  /** Opens the body; right once. */
  payload(): Payload;
  signal: AbortSignal;
}

export interface NameCall extends Call {
  bucketName: string;
}

export interface BucketCall extends NameCall {
  bucket: Bucket;
  storage: Storage;
}

export interface ObjectCall extends BucketCall {
  key: string;
}

/** What a command answers; the endpoint adds the request id, the date and the CORS headers. */
export interface Answer {
  status: number;
  headers?: Readonly<Record<string, string>>;
  /** An XML document, or bytes as they are read. */
  body?: string | AsyncIterable<Uint8Array | string>;
}

interface RoutedTo<On extends string, C extends Call> {
  /** S3's name of the operation. */
  name: string;
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** What the address must be: the service alone, a bucket that need not stand (`name`), a bucket, an object. */
  on: On;
  /** Query names that must be there; they tell this command from others of the same method. */
  query?: readonly string[];
  /** Further query names that are part of it. */
  also?: readonly string[];
  /** A header that must be there, likewise. */
  header?: string;
  /** Whether a read-only key pair may do it, and what one that is limited to a prefix may reach. */
  access: 'read' | 'write';
  /** `list`: a limited pair's prefix must cover the `prefix` asked for. `whole`: not for limited pairs. Default for buckets: `whole`. */
  reach?: 'list' | 'whole' | 'any';
  /** A `write` command that also gives its caller, or everyone, something to read. */
  alsoReads?: boolean;
  /** Also without a signature, where bucket or object are public. */
  anyone?: boolean;
  run(call: C): Promise<Answer>;
}

export type Command =
  | RoutedTo<'service', Call>
  | RoutedTo<'name', NameCall>
  | RoutedTo<'bucket', BucketCall>
  | RoutedTo<'object', ObjectCall>;
