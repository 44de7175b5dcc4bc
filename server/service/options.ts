import type { FastifyBaseLogger } from 'fastify';
import type { ConnectionLimits } from './http/connections.js';
import type { RateLimits } from './identity/limits/limits.js';

/** The clocks of this machine and of the database may differ by this much, ms. */
export const MAX_SKEW = 60_000;

/** Options of `createBlobService`; `svc-blob serve` fills them from its flags and the environment. */
export interface BlobServiceOptions {
  /** @default "127.0.0.1" */
  host?: string;
  /** REST and delivery; 0 takes a free one. @default 8080 */
  port?: number;
  /** The S3 endpoint; 0 takes a free one, false leaves it out. @default 9000 */
  s3Port?: number | false;
  /** Host names of the S3 endpoint under which buckets stand as a label (`bucket.s3.example.org`). @default ["localhost"] */
  s3Domains?: string[];
  /** What the S3 endpoint names as its region; it takes signatures for any. @default "us-east-1" */
  s3Region?: string;
  /** Where SQLite and the files lie. @default "./data" */
  dataDir?: string;
  /** `postgres://…`; without it SQLite in `dataDir`. */
  databaseUrl?: string;
  /** `s3://bucket?endpoint=…`; without it files in `dataDir`. */
  store?: string;
  /** The address that the answers name, such as `https://files.example.org`. @default the local address that clients call, else the address of the connection */
  publicUrl?: string;
  /** Addresses or ranges of proxies whose `X-Forwarded-*` headers are believed; nobody's by default. */
  trustedProxies?: string[];
  /** Who is asked for the TXT records of domains, `address` or `address:port`. @default the system's resolvers */
  dnsServers?: string[];
  /** Requests a minute and a day; null in a field: no limit. @default 3000 a minute and route, 6000 a minute, 1000000 a day; S3 210000 a minute */
  rateLimits?: RateLimits;
  /** Bytes that may be stored; null: no limit. Left as it stands when undefined. */
  quotaBytes?: number | null;
  /** Uploads that bring less are refused with `UPLOAD_TOO_SLOW`. @default 512 bytes a second, judged every 30 seconds */
  minimumRate?: { bytesPerSecond: number; windowSeconds: number };
  /** Connections that are held at once, over both ports. @default 4000, of them 400 from one IPv4 address or IPv6 /64 */
  connectionLimits?: ConnectionLimits;
  /** A logger, or true for JSON lines on stdout. @default false */
  logger?: FastifyBaseLogger | boolean;
}

/** A started service. */
export interface ListeningAddresses {
  /** Base address of REST and delivery, without `/v1`. */
  url: string;
  /** Of the S3 endpoint; null when it is left out. */
  s3Url: string | null;
}
