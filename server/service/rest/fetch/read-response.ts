import type { IncomingMessage } from 'node:http';
import { BlobError } from '../../../../src/protocol/errors.js';
import { enforceMinimumRate } from '../../http/minimum-rate.js';
import type { MinimumRate } from '../../http/minimum-rate.js';
import { fetchFailed } from './fetch-error.js';

export interface ReadResponseOptions {
  rate: MinimumRate;
  /** Its reason is thrown if it aborts. */
  signal: AbortSignal;
  /** Receives the number of bytes that have arrived. */
  onBytes: (bytes: number) => void;
}

/** Reads the body of a response at the minimum rate, and closes its connection at the end. @throws `FETCH_FAILED` */
export async function* readResponse(
  response: IncomingMessage,
  { rate, signal, onBytes }: ReadResponseOptions,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of enforceMinimumRate(response as AsyncIterable<Buffer>, rate)) {
      bytes += chunk.byteLength;
      onBytes(bytes);
      yield chunk;
    }
    // A server that closes the connection early ends the stream without an error in some versions of Node.
    if (!response.complete) throw new Error('The response ended early.');
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof BlobError && cause.code === 'UPLOAD_TOO_SLOW') throw fetchFailed('too_slow', cause.message, { cause });
    if (cause instanceof BlobError) throw cause;
    throw fetchFailed('connection', 'The response to the URL broke off.', { cause });
  } finally {
    response.destroy();
  }
}
