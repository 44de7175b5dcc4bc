import type { S3Grant } from '../identity/s3-credentials.js';
import type { Storage } from '../identity/credential.js';
import type { Bucket } from '../storage/blob-storage.js';
import type { Payload } from './body/payload.js';
import type { S3Request } from './messages/request.js';
import type { S3Service } from './service.js';

/** An authorized request, as a command receives it. */
export interface CommandContext {
  service: S3Service;
  request: S3Request;
  /** The permissions of the key pair, or those of everyone if the request is not signed. */
  grant: S3Grant;
  /** Opens the body. May be called once. */
  payload(): Payload;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
}

export interface BucketNameContext extends CommandContext {
  bucketName: string;
}

export interface BucketContext extends BucketNameContext {
  bucket: Bucket;
  storage: Storage;
}

export interface ObjectContext extends BucketContext {
  key: string;
}

/** The response of a command. The endpoint adds the request id, the date and the CORS headers. */
export interface S3Response {
  status: number;
  headers?: Readonly<Record<string, string>>;
  /** An XML document, or a stream of bytes. */
  body?: string | AsyncIterable<Uint8Array | string>;
}

interface CommandFor<Target extends string, Context extends CommandContext> {
  /** The name of the operation in the S3 API reference. */
  name: string;
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** The target of the URL: the service, a bucket that may not exist (`bucket-name`), a bucket, or an object. */
  target: Target;
  /** Query names that select this command among others with the same method. All must be present. */
  requiredQuery?: readonly string[];
  /** Further query names that the command understands. */
  optionalQuery?: readonly string[];
  /** A header that selects this command, like `requiredQuery`. */
  requiredHeader?: string;
  /** The permission that a key pair needs. */
  access: 'read' | 'write';
  /**
   * Treatment of key pairs that are limited to a prefix, by a bucket or service command. `check-listed-prefix`: allowed if the key pair's prefix covers
   * the `prefix` of the query. Object commands always check the key.
   * @default 'deny'
   */
  prefixLimited?: 'allow' | 'check-listed-prefix' | 'deny';
  /** Whether a `write` command also needs the read permission, because its caller or everyone can read data through it. */
  alsoReadsData?: boolean;
  /** Whether unsigned requests may use the command on public buckets and objects. */
  allowsAnonymous?: boolean;
  run(context: Context): Promise<S3Response>;
}

export type Command =
  | CommandFor<'service', CommandContext>
  | CommandFor<'bucket-name', BucketNameContext>
  | CommandFor<'bucket', BucketContext>
  | CommandFor<'object', ObjectContext>;
