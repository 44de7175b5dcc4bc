import { writeSync } from 'node:fs';
import { runningChecksum } from '../../s3/checksums.js';
import type { RunningChecksum, SumName } from '../../s3/checksums.js';
import { sameRange } from '../../s3/commands/get-object.js';
import { factsOf, toldOf } from '../../s3/commands/head-object.js';
import { S3Error } from '../../errors.js';
import type { FileRange, Wire, WireAnswer, WireRequest } from '../../http/http-client.js';
import { crcs } from '../checksums/crcs.js';
import { unwritable } from '../files/write-error.js';
import * as slots from './slots.js';

/** Smaller pieces wait for others; a slot that has no room for as much is full. Bytes. */
const LARGE = 64 * 1024;

/**
 * Writes the body of an answer into its file as it comes, in this thread: read, checked and written while a cache has it.
 * @param onWritten told how long each writing took, in milliseconds
 * @throws S3Error `UnexpectedAnswer` when the body is too long, or another range than was asked for; `TargetUnwritable`, or what the wire failed with
 */
export async function fillHere(
  wire: Wire,
  request: WireRequest & { into: FileRange },
  onWritten?: (ms: number) => void,
): Promise<WireAnswer> {
  const { into, ...plain } = request;
  const filling = new Filling(into, request.origin.secure, onWritten);
  try {
    const answer = await wire.send({
      ...plain,
      room: () => filling.room(),
      onData(piece, headers) {
        if (filling.told === 0) {
          checkRange(request, headers);
          filling.begin(headers);
        }
        filling.take(piece);
      },
    });
    // Nothing came of it that would have begun.
    if (filling.told === 0 && answer.status < 300) filling.begin(answer.headers);
    return { ...answer, filled: filling.end() };
  } catch (error) {
    if (filling.told > 0) into.moved(-filling.told);
    throw error;
  } finally {
    filling.leave();
  }
}

/** @throws S3Error where another range comes than was asked for: nothing of it is written then. */
function checkRange(request: WireRequest, headers: Record<string, string>): void {
  const asked = /^bytes=(\d+)-(\d+)$/.exec(request.headers['range'] ?? '');
  if (asked === null) return;
  const [start, end] = [Number(asked[1]), Number(asked[2])];
  sameRange({ start, end }, headers['content-range'] ?? (start > 0 ? 'all of it' : undefined));
}

class Filling {
  #checksum: RunningChecksum | undefined;
  /** Where bytes wait for more, if there is such a place. */
  #slot: Uint8Array | undefined;
  #waiting = 0;
  /** Written. */
  #bytes = 0;
  /** Told as moved: what waits as well. */
  told = 0;

  /** @param gathers whether what comes is read to where it waits, as it comes in small pieces */
  constructor(
    private readonly into: FileRange,
    private readonly gathers: boolean,
    private readonly onWritten: ((ms: number) => void) | undefined,
  ) {}

  /** @param headers of the answer that fills */
  begin(headers: Record<string, string>): void {
    const { checksum } = this.into;
    const name = checksum === 'told' ? toldBy(headers) : checksum;
    this.#checksum = name && runningSum(name);
  }

  room(): Uint8Array {
    return (this.gathers ? this.#rest() : undefined) ?? slots.common();
  }

  take(piece: Uint8Array): void {
    if (this.into.exact && this.told + piece.length > this.into.size)
      throw new S3Error('UnexpectedAnswer', 'The store sent more than was asked for.');
    this.told += piece.length;
    this.into.moved(piece.length);
    const rest = piece.length < LARGE ? this.#rest() : undefined;
    if (rest === undefined) {
      this.#flush();
      return this.#write(piece);
    }
    if (piece.buffer !== rest.buffer || piece.byteOffset !== rest.byteOffset) rest.set(piece);
    this.#waiting += piece.length;
    if (this.#waiting + LARGE > slots.SLOT) this.#flush();
    return undefined;
  }

  end(): { bytes: number; checksum: string | undefined } {
    this.#flush();
    return { bytes: this.#bytes, checksum: this.#checksum?.value() };
  }

  leave(): void {
    if (this.#slot !== undefined) slots.give(this.#slot);
    this.#slot = undefined;
    this.#waiting = 0;
  }

  #rest(): Uint8Array | undefined {
    return (this.#slot ??= slots.take())?.subarray(this.#waiting);
  }

  #flush(): void {
    if (this.#waiting === 0) return;
    const bytes = this.#slot!.subarray(0, this.#waiting);
    this.#waiting = 0;
    this.#write(bytes);
    if (!this.gathers) this.leave();
  }

  #write(bytes: Uint8Array): void {
    this.#checksum?.update(bytes);
    const { fd, position } = this.into;
    const began = performance.now();
    try {
      // All at once: in steps of 32 KiB, as in `file-maker.ts`, a large file took 15 % longer here.
      for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at, bytes.length - at, position + this.#bytes + at);
    } catch (error) {
      throw unwritable(error);
    }
    this.onWritten?.(performance.now() - began);
    this.#bytes += bytes.length;
  }
}

/** What an answer tells of its bytes. */
function toldBy(headers: Record<string, string>): SumName | undefined {
  const told = toldOf(factsOf(headers));
  return told?.kind === 'md5' ? 'MD5' : told?.name;
}

function runningSum(name: SumName): RunningChecksum {
  if (name !== 'MD5') return runningChecksum(crcs, name);
  const hash = process.getBuiltinModule('node:crypto').createHash('md5');
  return { update: (bytes) => void hash.update(bytes), value: () => hash.digest('hex') };
}
