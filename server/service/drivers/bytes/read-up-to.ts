/** The whole of a body that is no longer than `most` bytes, or what it was and goes on to be. */
export type BodyStart = { whole: Uint8Array } | { rest: AsyncIterable<Uint8Array> };

/** Reads a body until its end or past `most` bytes, whichever comes first. */
export async function readUpTo(body: AsyncIterable<Uint8Array>, most: number): Promise<BodyStart> {
  const source = body[Symbol.asyncIterator]();
  const head: Uint8Array[] = [];
  let size = 0;
  while (size <= most) {
    const { done, value } = await source.next();
    if (done) return { whole: head.length === 1 ? head[0]! : Buffer.concat(head) };
    // A chunk is its giver's again when the next is asked for.
    head.push(Uint8Array.from(value));
    size += value.byteLength;
  }
  return { rest: continueBody(head, source) };
}

/** A whole body as one that streams. */
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
