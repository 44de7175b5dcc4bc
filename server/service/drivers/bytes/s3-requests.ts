import type { S3Client, S3ClientConfig, S3ServiceException } from '@aws-sdk/client-s3';
import { setTimeout as sleep } from 'node:timers/promises';
import { BlobError } from '../../../../src/protocol/errors.js';
import { storeUnavailable } from './driver.js';
import type { S3Location } from './s3-location.js';

export type Sdk = typeof import('@aws-sdk/client-s3');

/** Delays before the second and each later attempt. A failure is reported within about three seconds. */
const RETRY_DELAYS_MS = [200, 600, 1500];
const CONNECT_TIMEOUT = 10_000;

/**
 * Sends requests to one store. Retries a request if the store is busy or the connection breaks. Does not retry after `timeout` ms of silence,
 * because another attempt would take as long.
 */
export class S3Requests {
  /** Client for requests whose response is not a stream. */
  readonly client: S3Client;
  /** Client for responses that are streamed. Its sockets may be silent while the reader of a stream is slow. */
  readonly streams: S3Client;
  readonly timeout: number;

  constructor(sdk: Sdk, { endpoint, region, timeout }: S3Location) {
    this.timeout = timeout;
    const configFor = (socketTimeout: number): S3ClientConfig => ({
      // Only AWS has a host name for each bucket.
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
      ...(region !== undefined && { region }),
      // `#retry` limits attempts and delays.
      maxAttempts: 1,
      // Older stores refuse trailing checksums. The signed SHA-256 of the payload protects the same bytes.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        connectionTimeout: Math.min(CONNECT_TIMEOUT, timeout),
        socketTimeout,
        httpAgent: { maxSockets: 256 },
        httpsAgent: { maxSockets: 256 },
      },
    });
    this.client = new sdk.S3Client(configFor(timeout));
    this.streams = new sdk.S3Client({ ...configFor(0), credentials: this.client.config.credentials });
  }

  /** Sends a request and retries it. @throws the error of the last attempt, or the reason of the signal. */
  async send<T>(
    request: (client: S3Client, options: { abortSignal?: AbortSignal }) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    return this.#retry(() => request(this.client, signal ? { abortSignal: signal } : {}), signal);
  }

  /** Sends a request whose response is a stream. The timeout applies until the response begins. */
  async open<T>(
    request: (client: S3Client, options: { abortSignal: AbortSignal }) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    return this.#retry(async () => {
      const timeout = new AbortController();
      const timer = setTimeout(() => timeout.abort(), this.timeout);
      const abortSignal = signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal;
      try {
        return await request(this.streams, { abortSignal });
      } catch (cause) {
        throw timeout.signal.aborted ? timedOut(this.timeout, cause) : cause;
      } finally {
        clearTimeout(timer);
      }
    }, signal);
  }

  async #retry<T>(attempt: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    for (let attempts = 0; ; attempts++) {
      try {
        return await attempt();
      } catch (cause) {
        signal?.throwIfAborted();
        const delay = RETRY_DELAYS_MS[attempts];
        if (delay === undefined || isTimeout(cause) || !isTransient(cause)) throw cause;
        // The random delay spreads requests that failed together.
        await sleep(delay * (0.5 + Math.random() / 2), undefined, signal && { signal }).catch(() => signal?.throwIfAborted());
      }
    }
  }

  close(): void {
    this.client.destroy();
    this.streams.destroy();
  }
}

export const nameOf = (cause: unknown): string => (cause as Partial<S3ServiceException>)?.name ?? String(cause);
const statusOf = (cause: unknown): number => (cause as Partial<S3ServiceException>)?.$metadata?.httpStatusCode ?? 0;

const timedOut = (timeout: number, cause: unknown): Error =>
  Object.assign(new Error(`the store did not respond within ${timeout} ms`, { cause }), { name: 'TimeoutError' });

const isTimeout = (cause: unknown): boolean => nameOf(cause) === 'TimeoutError' && !CONNECTION_CODES.has(codeOf(cause));

const codeOf = (cause: unknown): string => (cause as NodeJS.ErrnoException | undefined)?.code ?? '';

/** Errors of a connection that was refused or broke. Another attempt opens a new connection. */
const CONNECTION_CODES = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** Errors of a store that is busy. The SDK corrects its clock after `RequestTimeTooSkewed`, so another attempt succeeds. */
const RETRIED_CODES = new Set([
  'SlowDown',
  'ServiceUnavailable',
  'InternalError',
  'RequestTimeout',
  'RequestTimeTooSkewed',
  'Throttling',
  'TooManyRequests',
]);

/** @returns whether another attempt of the same request may succeed. */
function isTransient(cause: unknown): boolean {
  const { $metadata } = (cause ?? {}) as { $metadata?: { clockSkewCorrected?: boolean } };
  // The response to a HEAD has no error code.
  if ($metadata?.clockSkewCorrected) return true;
  return (
    [429, 500, 502, 503, 504].includes(statusOf(cause)) ||
    RETRIED_CODES.has(nameOf(cause)) ||
    CONNECTION_CODES.has(codeOf(cause)) ||
    isTimeout(cause)
  );
}

const FULL_CODES = new Set(['QuotaExceeded', 'InsufficientStorage', 'XMinioStorageFull', 'StorageFull']);

export const isFull = (cause: unknown): boolean => FULL_CODES.has(nameOf(cause)) || statusOf(cause) === 507;

/** Translates a failure of the store for clients. */
export function toBlobError(cause: unknown): unknown {
  if (cause instanceof BlobError) return cause;
  if (isFull(cause)) return new BlobError('STORAGE_FULL', 'The store is full; nothing was stored.', { cause });
  return isTransient(cause) ? storeUnavailable(cause) : cause;
}

/** Requires an ETag, because a proxy may respond with 200 to anything. */
export function assertStored(etag: string | undefined): void {
  if (!etag) throw new Error('the store responded to an upload without an ETag');
}

/** Explains why a bucket cannot be used, from the status of a HEAD request. */
export function bucketProblem(cause: unknown): string {
  const { $metadata, message, code } = cause as Partial<S3ServiceException> & { code?: string };
  const status = $metadata?.httpStatusCode;
  if (status === 404) return 'the store has no such bucket; create it first';
  if (status === 403) return 'the store refuses these credentials, or they may not use this bucket (403)';
  if (status === 301 || status === 400) return `the bucket has another region or endpoint (${status})`;
  // For a host with several addresses Node puts the messages into a list.
  return message || code || nameOf(cause);
}
