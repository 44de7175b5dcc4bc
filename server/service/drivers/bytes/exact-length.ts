import { Readable } from 'node:stream';
import { BlobLengthError, storeUnavailable } from './driver.js';

/**
 * Passes the bytes of a blob on and fails unless there are exactly `length` bytes. The caller has announced this length to its client, so it
 * closes the connection after a failure.
 * @param silence ms without a byte after which the source fails. Undefined for no limit.
 */
export function exactLength(id: string, source: Readable, length: number, silence?: number): Readable {
  async function* counted(): AsyncGenerator<Uint8Array> {
    let missing = length;
    for await (const chunk of silence === undefined ? source : failWhenSilent(source, silence)) {
      missing -= (chunk as Uint8Array).byteLength;
      if (missing < 0) throw new BlobLengthError(id, 'long', `the store sent more than ${length} bytes`);
      yield chunk as Uint8Array;
    }
    if (missing > 0) throw new BlobLengthError(id, 'short', `the store sent ${length - missing} of ${length} bytes`);
  }
  const stream = Readable.from(counted(), { objectMode: false });
  // The generator of a stream that is never read does not run, so it could neither close the source nor receive its failure.
  source.once('error', (cause) => stream.destroy(silence === undefined ? cause : storeUnavailable(cause)));
  return stream.once('close', () => source.destroy()).on('error', () => {});
}

/** Fails a source that is silent while the reader waits. A slow reader does not count as a silent source. */
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
