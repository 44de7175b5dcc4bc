/** All bytes of a short body, or a long body from its start. */
export type BodyStart = { whole: Uint8Array } | { rest: AsyncIterable<Uint8Array> };

/** Reads a body to its end if it has at most `limit` bytes. A longer body is returned as a stream from its start. */
export async function readUpTo(body: AsyncIterable<Uint8Array>, limit: number): Promise<BodyStart> {
  const source = body[Symbol.asyncIterator]();
  const head: Uint8Array[] = [];
  let size = 0;
  while (size <= limit) {
    const { done, value } = await source.next();
    if (done) return { whole: head.length === 1 ? head[0]! : Buffer.concat(head) };
    // The body may reuse the memory of a chunk when the next one is requested.
    head.push(Uint8Array.from(value));
    size += value.byteLength;
  }
  return { rest: continueBody(head, source) };
}

/** Turns bytes into a body of one chunk. */
export async function* singleChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* continueBody(head: Uint8Array[], source: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    while (head.length > 0) yield head.shift()!;
    for (;;) {
      const { done, value } = await source.next();
      if (done) return;
      yield value;
    }
  } finally {
    await source.return?.();
  }
}
