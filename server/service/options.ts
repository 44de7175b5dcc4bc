import type { FastifyBaseLogger } from 'fastify';
import type { ConnectionLimits } from './http/connections.js';
import type { MinimumRate } from './http/minimum-rate.js';
import type { RateLimits } from './identity/limits/limits.js';

/** The clocks of this machine and of the database may differ by this much. */
export const MAX_SKEW_MS = 60_000;

/**
 * Options of `createBlobService`. `svc-blob serve` fills them from its flags and the environment.
 * @see docs/reference/settings.md for the same settings of `svc-blob serve`.
 */
export interface BlobServiceOptions {
  /** Address on which both ports listen, such as `0.0.0.0`. @default "127.0.0.1" */
  host?: string;
  /** Port of REST and delivery, 0..65535; 0 takes a free port. @default 8080 */
  port?: number;
  /** Port of the S3 endpoint, 0..65535; 0 takes a free port, false starts no S3 endpoint. @default 9000 */
  s3Port?: number | false;
  /** Host names of the S3 endpoint for virtual-host addressing: `bucket.s3.example.org` needs `s3.example.org`. @default ["localhost"] */
  s3Domains?: string[];
  /** Region that the S3 endpoint reports. It accepts signatures for any region. @default "us-east-1" */
  s3Region?: string;
  /** Directory of SQLite and of the stored files. The service creates it with mode 0700. @default "./data" */
  dataDir?: string;
  /** PostgreSQL 13 or newer, as `postgres://user:password@host/database`. @default SQLite in `dataDir` */
  databaseUrl?: string;
  /**
   * S3-compatible store for the bytes: `s3://bucket[/prefix]?endpoint=https://…&region=…&timeout=seconds`. Credentials come from the AWS
   * environment, profile or instance. @default files in `dataDir`
   */
  store?: string;
  /**
   * Base of the addresses in responses, such as `https://files.example.org`.
   * @default the address of the request if it is local or comes from a trusted proxy, otherwise the address of the connection
   */
  publicUrl?: string;
  /**
   * Another origin for stored files, such as `https://files.example.net`: public files, temporary links and shares are served only there, and nothing
   * else is. Needs `publicUrl`. A proxy must pass the `Host` header on.
   * @default the address of everything else
   */
  deliveryUrl?: string;
  /**
   * Base of the S3 endpoint that clients use, such as `https://s3.example.org`. The REST API and the console show it.
   * @default the S3 port at the host of a request over http, if `publicUrl` is not set; otherwise unknown
   */
  s3PublicUrl?: string;
  /** Addresses or CIDR ranges of proxies whose `X-Forwarded-*` headers count. @default [] */
  trustedProxies?: string[];
  /**
   * Addresses and ranges to which the service may send webhooks, and from which it may fetch files, although they are not on the public internet, such as `10.0.0.0/8`.
   * @default []
   */
  outboundAllow?: string[];
  /** Whether clients may let the service fetch files from public URLs. @default false */
  fetch?: boolean;
  /** Virus scanner for new files: `clamd://host:port`, or `clamd:///path` for a Unix socket. New files are delivered when they are clean. @default none */
  scan?: string;
  /** Whether files that wait for their scan are delivered while the scanner does not respond. @default "block" */
  scanUnavailable?: 'block' | 'allow';
  /** DNS servers for the TXT records of domains and the hosts of webhooks and fetched URLs, as `address` or `address:port`. @default the system's resolvers */
  dnsServers?: string[];
  /** Requests per window; null in a field removes that limit. @default 3000 a minute and route, 6000 a minute, 1000000 a day; S3 210000 a minute */
  rateLimits?: RateLimits;
  /** Bytes that the account may store; null removes the quota. @default the value of the last start; no quota on a new database */
  quotaBytes?: number | null;
  /** Whether images are resized. true requires the package sharp at the start. @default true if sharp is installed */
  images?: boolean;
  /**
   * Programs that make pictures of videos (`ffmpeg`) and of first pages of PDFs (`pdftoppm`), as names or absolute paths. A program that does
   * not start is an error of the start. @default []
   */
  thumbnails?: string[];
  /** Bytes of stored resized images, over all replicas. @default 1 GiB */
  imageCacheBytes?: number;
  /** Days for which entries of the activity log are kept, 1..36500. @default 400 */
  activityRetention?: number;
  /** Uploads that send less are refused with `UPLOAD_TOO_SLOW`. @default 512 bytes a second on average over 30 seconds */
  minimumRate?: MinimumRate;
  /** Connections that are open at once, over both ports. @default 4000, of these 400 from one IPv4 address or IPv6 /64 */
  connectionLimits?: ConnectionLimits;
  /** A pino logger, or true for JSON lines on stdout. @default false */
  logger?: FastifyBaseLogger | boolean;
}

/** Addresses on which a started service listens. */
export interface ListeningAddresses {
  /** Base address of REST and delivery, without `/v1`. */
  url: string;
  /** Base address of the S3 endpoint; null if `s3Port` is false. */
  s3Url: string | null;
}
