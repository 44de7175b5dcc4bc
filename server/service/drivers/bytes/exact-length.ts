import { Readable } from 'node:stream';
import { BlobLengthError, storeUnavailable } from './driver.js';

/**
 * Passes on a blob's bytes and fails unless there are exactly `length` of them. Whoever announced that length to a client then breaks the
 * connection off instead of leaving the client in the middle of a body.
 * @param silence the source fails after this many ms in which a byte was asked for and none came. Undefined: it may take any time.
 */
export function exactLength(id: string, source: Readable, length: number, silence?: number): Readable {
  async function* counted(): AsyncGenerator<Uint8Array> {
    let left = length;
    for await (const chunk of silence === undefined ? source : failWhenSilent(source, silence)) {
      left -= (chunk as Uint8Array).byteLength;
      if (left < 0) throw new BlobLengthError(id, 'long', `the store sent more than ${length} bytes`);
      yield chunk as Uint8Array;
    }
    if (left > 0) throw new BlobLengthError(id, 'short', `the store sent ${length - left} of ${length} bytes`);
  }
  const stream = Readable.from(counted(), { objectMode: false });
  // A stream that is never read does not start the generator, which would close the source and hear of its failure.
  source.once('error', (cause) => stream.destroy(silence === undefined ? cause : storeUnavailable(cause)));
  return stream.once('close', () => source.destroy()).on('error', () => {});
}

/** The silence counts only while the reader waits: a reader that is slow itself does not make the store late. */
async function* failWhenSilent(source: Readable, silence: number): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  try {
    for (;;) {
      const timer = setTimeout(() => source.destroy(new Error(`the store sent nothing for ${silence} ms`)), silence);
      const next = await chunks.next().finally(() => clearTimeout(timer));
      if (next.done) return;
      yield next.value;
    }
  } catch (cause) {
    throw storeUnavailable(cause);
  } finally {
    source.destroy();
  }
}
