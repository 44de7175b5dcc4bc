import type { IncomingMessage } from 'node:http';
import { BlobError, validationError } from '../../../src/protocol/errors.js';

/** The minimum average rate of an upload, measured over each window. */
export interface MinimumRate {
  bytesPerSecond: number;
  windowSeconds: number;
}

/** The default. The slowest mobile networks are faster; clients that only hold a connection open are slower. */
export const MINIMUM_RATE: MinimumRate = { bytesPerSecond: 512, windowSeconds: 30 };

const tooSlow = ({ bytesPerSecond, windowSeconds }: MinimumRate) =>
  new BlobError('UPLOAD_TOO_SLOW', `Less than ${bytesPerSecond} bytes a second arrived for ${windowSeconds} seconds.`, {
    details: { bytes_per_second: bytesPerSecond, window_seconds: windowSeconds },
  });

/**
 * Yields the chunks of a body while they arrive at the minimum rate. Only time spent waiting for the sender counts, not the time of the consumer.
 * The total duration is not limited.
 * @throws `UPLOAD_TOO_SLOW`
 */
export async function* enforceMinimumRate<Chunk extends Uint8Array>(
  body: AsyncIterable<Chunk>,
  rate: MinimumRate,
): AsyncGenerator<Chunk> {
  const iterator = body[Symbol.asyncIterator]();
  let bytes = 0;
  /** Milliseconds spent waiting in this window, without the current wait. */
  let pastWait = 0;
  let waitingSince = 0;
  let rejectWait: ((cause: Error) => void) | undefined;

  const checkRate = () => {
    const now = performance.now();
    const waiting = pastWait + (rejectWait ? now - waitingSince : 0);
    const minimum = (rate.bytesPerSecond * waiting) / 1000;
    // A window with less than half its time spent waiting says nothing about the sender.
    if (waiting >= rate.windowSeconds * 500 && bytes < minimum) rejectWait?.(tooSlow(rate));
    bytes = 0;
    pastWait = 0;
    waitingSince = now;
  };
  const timer = setInterval(checkRate, rate.windowSeconds * 1000).unref();
  try {
    for (;;) {
      waitingSince = performance.now();
      const next = await new Promise<IteratorResult<Chunk>>((resolve, reject) => {
        rejectWait = reject;
        iterator.next().then(resolve, reject);
      });
      rejectWait = undefined;
      pastWait += performance.now() - waitingSince;
      if (next.done) return;
      bytes += next.value.byteLength;
      yield next.value;
    }
  } finally {
    clearInterval(timer);
    rejectWait = undefined;
    // Not awaited, because `return` may wait for a chunk that never arrives.
    void iterator.return?.()?.catch(() => {});
  }
}

/** Creates the error of a body that ended early because the client disconnected. */
export const incompleteBody = (cause?: unknown): BlobError =>
  validationError('body', 'ended before its announced length', {
    details: { reason: 'incomplete' },
    cause,
  });

/**
 * Reads the body of a request and enforces the minimum rate. If the consumer stops early, the connection stays open, so that the client can read the
 * response. Call `discardBody` after it.
 * @throws `UPLOAD_TOO_SLOW`, `incompleteBody`.
 */
export async function* readBody(raw: IncomingMessage, rate: MinimumRate): AsyncGenerator<Buffer> {
  try {
    const bytes = raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    // Most small bodies have arrived already.
    yield* raw.complete ? bytes : enforceMinimumRate(bytes, rate);
  } catch (cause) {
    throw cause instanceof BlobError ? cause : incompleteBody(cause);
  } finally {
    raw.resume();
  }
}

/**
 * Discards the rest of a body after the response, so that the client can read the response. Closes the connection if the body does not end within
 * a window.
 */
export function discardBody(raw: IncomingMessage, { windowSeconds }: MinimumRate): void {
  if (raw.complete) return;
  // The listener keeps the stream flowing after its reader has stopped.
  raw.on('data', () => {}).resume();
  const timer = setTimeout(() => raw.destroy(), windowSeconds * 1000).unref();
  raw.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer));
}
