import type { IncomingMessage } from 'node:http';
import { BlobError } from '../../../src/protocol/errors.js';

/** The least a client has to send: so many bytes on average over every window. */
export interface MinimumRate {
  bytesPerSecond: number;
  windowSeconds: number;
}

/** Less than the slowest mobile network, more than a connection that is held open for its own sake. */
export const MINIMUM_RATE: MinimumRate = { bytesPerSecond: 512, windowSeconds: 30 };

const tooSlow = ({ bytesPerSecond, windowSeconds }: MinimumRate) =>
  new BlobError('UPLOAD_TOO_SLOW', `Less than ${bytesPerSecond} bytes a second arrived for ${windowSeconds} seconds.`, {
    details: { bytes_per_second: bytesPerSecond, window_seconds: windowSeconds },
  });

/**
 * Passes a body on as long as it flows. Only the time spent waiting for the sender counts: while we are slow ourselves, nobody is late.
 * An upload may take days. @throws `UPLOAD_TOO_SLOW`.
 */
export async function* enforceMinimumRate<Chunk extends Uint8Array>(
  body: AsyncIterable<Chunk>,
  rate: MinimumRate,
): AsyncGenerator<Chunk> {
  const iterator = body[Symbol.asyncIterator]();
  let bytes = 0;
  /** ms of this window spent waiting, before the wait under way. */
  let waited = 0;
  let waitingSince = 0;
  let giveUp: ((cause: Error) => void) | undefined;

  const judge = () => {
    const now = performance.now();
    const waiting = waited + (giveUp ? now - waitingSince : 0);
    const enough = (rate.bytesPerSecond * waiting) / 1000;
    // Half a window of our own slowness says nothing about the sender.
    if (waiting >= rate.windowSeconds * 500 && bytes < enough) giveUp?.(tooSlow(rate));
    bytes = 0;
    waited = 0;
    waitingSince = now;
  };
  const timer = setInterval(judge, rate.windowSeconds * 1000).unref();
  try {
    for (;;) {
      waitingSince = performance.now();
      const next = await new Promise<IteratorResult<Chunk>>((resolve, reject) => {
        giveUp = reject;
        iterator.next().then(resolve, reject);
      });
      giveUp = undefined;
      waited += performance.now() - waitingSince;
      if (next.done) return;
      bytes += next.value.byteLength;
      yield next.value;
    }
  } finally {
    clearInterval(timer);
    giveUp = undefined;
    // Not awaited: it may wait for the very chunk that does not come.
    void iterator.return?.()?.catch(() => {});
  }
}

/** The sender went away: nobody is left to be told, and nothing of ours went wrong. */
export const incompleteBody = (cause?: unknown): BlobError =>
  new BlobError('VALIDATION_ERROR', 'body: broke off before its end', { path: 'body', details: { reason: 'incomplete' }, cause });

/**
 * A request's bytes, as long as they flow. Leaving early does not cut the connection, as leaving a stream does by itself: there is an
 * answer to read, after which `discardBody` sees to it. @throws `UPLOAD_TOO_SLOW`, `incompleteBody`.
 */
export async function* readBody(raw: IncomingMessage, rate: MinimumRate): AsyncGenerator<Buffer> {
  try {
    const bytes = raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    // Most small ones have come by now: nobody is late with them.
    yield* raw.complete ? bytes : enforceMinimumRate(bytes, rate);
  } catch (cause) {
    throw cause instanceof BlobError ? cause : incompleteBody(cause);
  } finally {
    raw.resume();
  }
}

/**
 * What still comes of a body that was answered is thrown away, so that the client gets to read why it was refused; after a window the
 * connection is cut.
 */
export function discardBody(raw: IncomingMessage, { windowSeconds }: MinimumRate): void {
  if (raw.complete) return;
  // Flows also once who still holds it for reading has let go of it.
  raw.on('data', () => {}).resume();
  const cut = setTimeout(() => raw.destroy(), windowSeconds * 1000).unref();
  raw.once('close', () => clearTimeout(cut)).once('end', () => clearTimeout(cut));
}
