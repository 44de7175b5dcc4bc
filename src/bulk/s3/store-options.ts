import type { HttpClient } from '../http/http-client.js';
import type { CredentialProvider, Credentials } from '../types.js';
import type { Digests } from './digests.js';
import type { SdkClient } from './sdk-client.js';

/** The checksum or hash that protects uploaded bytes. */
export type Integrity =
  /** The cheapest checksum, CRC32. */
  | 'auto'
  /** This checksum. `Content-MD5` is sent too, until the store has shown that it compares the checksum. */
  | 'crc32'
  | 'crc32c'
  | 'crc64nvme'
  /** Always `Content-MD5`. */
  | 'md5'
  /** The SHA-256 of every body, as part of the signature. */
  | 'sha256';

/** Connection and signing settings of a store. */
export interface StoreOptions {
  /** Base address, such as `https://s3.example.com`. @default the AWS address of the region */
  endpoint?: string;
  /** Region that requests are signed for. @default "us-east-1" */
  region?: string;
  /** Key pair, a function that returns one, or `anonymous` to send unsigned requests to a public bucket. */
  credentials: Credentials | CredentialProvider | 'anonymous';
  /** Uses `https://host/bucket/key` instead of `https://bucket.host/key`. @default true with an endpoint, else false */
  pathStyle?: boolean;
  /** Protection of uploaded bytes. @default "auto" */
  integrity?: Integrity;
  /** AWS SDK client that signs and sends every request instead of the faster built-in path. @default none */
  client?: SdkClient;
  /** HTTP client that sends the requests. */
  wire: HttpClient;
  /** Hash implementations of the platform. */
  digests: Digests;
  /** Returns the local time in milliseconds since 1970. @default Date.now */
  now?: () => number;
}
