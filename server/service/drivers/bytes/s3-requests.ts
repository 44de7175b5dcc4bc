import type { S3Client, S3ClientConfig, S3ServiceException } from '@aws-sdk/client-s3';
import { setTimeout as sleep } from 'node:timers/promises';
import { BlobError } from '../../../../src/protocol/errors.js';
import { storeUnavailable } from './driver.js';
import type { S3Location } from './s3-location.js';

type Sdk = typeof import('@aws-sdk/client-s3');

/** Waits before the second and each later try, ms: a store that refuses or fails is told within about three seconds. */
const RETRY_DELAYS = [200, 600, 1500];
const CONNECT_WITHIN = 10_000;

/**
 * The requests to one store. A request is repeated when the store refuses it for now or the connection breaks. A store that says nothing for
 * `timeout` ms is not asked again: it would only take as long once more.
 */
export class S3Requests {
  /** For all requests but those whose answer is a stream. */
  readonly client: S3Client;
  /** For answers that are streamed. Its sockets may be silent while the reader of a stream takes its time. */
  readonly streams: S3Client;
  readonly timeout: number;

  constructor(sdk: Sdk, { endpoint, region, timeout }: S3Location) {
    this.timeout = timeout;
    const open = (socketTimeout: number): S3ClientConfig => ({
      // Only AWS gives every bucket a host name for certain.
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
      ...(region !== undefined && { region }),
      // Repeated here, where the tries and their waits are bounded.
      maxAttempts: 1,
      // Trailing checksums in chunked bodies are what older stores refuse; the signed SHA-256 says the same.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        connectionTimeout: Math.min(CONNECT_WITHIN, timeout),
        socketTimeout,
        httpAgent: { maxSockets: 256 },
        httpsAgent: { maxSockets: 256 },
      },
    });
    this.client = new sdk.S3Client(open(timeout));
    this.streams = new sdk.S3Client({ ...open(0), credentials: this.client.config.credentials });
  }

  /** Sends a request, repeatedly where that may help. @throws what the last try failed with, the signal's reason. */
  async send<T>(
    request: (client: S3Client, options: { abortSignal?: AbortSignal }) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    return this.#repeat(() => request(this.client, signal ? { abortSignal: signal } : {}), signal);
  }

  /** The same for a request whose answer is a stream: only the wait for its head is bounded here. */
  async open<T>(
    request: (client: S3Client, options: { abortSignal: AbortSignal }) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    return this.#repeat(async () => {
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), this.timeout);
      const abortSignal = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
      try {
        return await request(this.streams, { abortSignal });
      } catch (cause) {
        throw late.signal.aborted ? timedOut(this.timeout, cause) : cause;
      } finally {
        clearTimeout(timer);
      }
    }, signal);
  }

  async #repeat<T>(attempt: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    for (let tries = 0; ; tries++) {
      try {
        return await attempt();
      } catch (cause) {
        signal?.throwIfAborted();
        const delay = RETRY_DELAYS[tries];
        if (delay === undefined || isTimeout(cause) || !isTransient(cause)) throw cause;
        // Many requests that failed together do not come again together.
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
  Object.assign(new Error(`the store did not answer within ${timeout} ms`, { cause }), { name: 'TimeoutError' });

const isTimeout = (cause: unknown): boolean => nameOf(cause) === 'TimeoutError' && !BROKEN.has(codeOf(cause));

const codeOf = (cause: unknown): string => (cause as NodeJS.ErrnoException | undefined)?.code ?? '';

/** The connection was refused or broke: another try opens a new one. */
const BROKEN = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN']);
/** The SDK corrects its time after a `RequestTimeTooSkewed`, which requests that were under way meet too. */
const FOR_NOW = new Set([
  'SlowDown',
  'ServiceUnavailable',
  'InternalError',
  'RequestTimeout',
  'RequestTimeTooSkewed',
  'Throttling',
  'TooManyRequests',
]);

/** Whether a later try of the same request may succeed. */
function isTransient(cause: unknown): boolean {
  const { $metadata } = (cause ?? {}) as { $metadata?: { clockSkewCorrected?: boolean } };
  // The answer to a HEAD names no error.
  if ($metadata?.clockSkewCorrected) return true;
  return (
    [429, 500, 502, 503, 504].includes(statusOf(cause)) ||
    FOR_NOW.has(nameOf(cause)) ||
    BROKEN.has(codeOf(cause)) ||
    isTimeout(cause)
  );
}

const FULL = new Set(['QuotaExceeded', 'InsufficientStorage', 'XMinioStorageFull', 'StorageFull']);

export const isFull = (cause: unknown): boolean => FULL.has(nameOf(cause)) || statusOf(cause) === 507;

/** A failure of the store as what a client is told of it. */
export function toBlobError(cause: unknown): unknown {
  if (cause instanceof BlobError) return cause;
  if (isFull(cause)) return new BlobError('STORAGE_FULL', 'The store is full; nothing was stored.', { cause });
  return isTransient(cause) ? storeUnavailable(cause) : cause;
}

/** A HEAD has no body: its status is all that the store says. */
export function bucketProblem(cause: unknown): string {
  const { $metadata, message, code } = cause as Partial<S3ServiceException> & { code?: string };
  const status = $metadata?.httpStatusCode;
  if (status === 404) return 'the store has no such bucket; make it first';
  if (status === 403) return 'the store refuses these credentials, or they may not use this bucket (403)';
  if (status === 301 || status === 400) return `the region or the endpoint is not the bucket's (${status})`;
  // A host of several addresses has all that was said in a list, and no message.
  return message || code || nameOf(cause);
}
