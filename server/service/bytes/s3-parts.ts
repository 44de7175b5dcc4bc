/** The least size of a part; S3 takes at most 10,000 parts of at least 5 MiB. */
export const PART_SIZE = 8 * 1024 * 1024;
/** After so many parts of a body of unknown length the next are twice as large: 5 TiB fit into 10,000. */
const DOUBLE_AFTER = 1000;
/** For a known length: leaves room below 10,000. */
const AIM = 5000;

/** Bytes of part `number` (from 1) of a body. */
export function partSize(number: number, size: number | undefined): number {
  if (size !== undefined) return Math.max(PART_SIZE, Math.ceil(size / AIM));
  return PART_SIZE * 2 ** Math.floor((number - 1) / DOUBLE_AFTER);
}

/** Cuts a body into parts; holds one at a time. Nothing at all for an empty body. */
export async function* cut(body: AsyncIterable<Uint8Array>, size: number | undefined): AsyncGenerator<Buffer> {
  let number = 1;
  let wanted = partSize(number, size);
  let held: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    for (let rest = chunk; rest.byteLength > 0;) {
      const piece = rest.subarray(0, wanted - length);
      // Its memory is the sender's again with the next chunk.
      held.push(Uint8Array.from(piece));
      length += piece.byteLength;
      rest = rest.subarray(piece.byteLength);
      if (length < wanted) continue;
      const part = Buffer.concat(held, length);
      held = [];
      length = 0;
      yield part;
      wanted = partSize(++number, size);
    }
  }
  if (length > 0) yield Buffer.concat(held, length);
}

/** Tickets for parts that travel while their upload reads on. One memory for all uploads: few are fast, many are no larger. */
export class Ahead {
  #free: number;

  constructor(tickets: number) {
    this.#free = tickets;
  }

  take(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  give(): void {
    this.#free += 1;
  }
}
