import { runningChecksum } from '../checksum.js';
import type { ChecksumName } from '../checksum.js';
import { fromHex, isMd5 } from '../commands/protect.js';
import { headObject } from '../commands/head-object.js';
import type { ObjectFacts } from '../commands/head-object.js';
import { getObject } from '../commands/get-object.js';
import { S3Error } from '../errors.js';
import type { Run } from './run.js';

/** Bytes that can be read again: a local file, or a download before it is committed. */
export interface Readable {
  size: number;
  read(position: number, into: Uint8Array): number | Promise<number>;
}

/**
 * Metadata that tells in what parts an object was uploaded. Stores without checksums make its ETag of them, and the older
 * ones of these do not tell their size.
 */
export const PART_SIZE = 'svc-part-size';

/** What a store keeps that tells the bytes of an object: the best there is. */
export type Proof =
  | { kind: 'checksum'; name: ChecksumName; value: string }
  | { kind: 'md5'; value: string }
  | { kind: 'parts'; value: string; partSize: number }
  | { kind: 'none' };

/** Finds out how an object's bytes can be checked; asks for the size of its parts where that is needed. */
export async function proofOf(run: Run, bucket: string, key: string, facts: ObjectFacts): Promise<Proof> {
  if (facts.checksum !== undefined) return { kind: 'checksum', ...facts.checksum };
  // With KMS an ETag is no hash of the bytes.
  if (facts.encrypted) return { kind: 'none' };
  if (isMd5(facts.etag)) return { kind: 'md5', value: facts.etag };
  if (!/^[0-9a-f]{32}-\d+$/.test(facts.etag)) return { kind: 'none' };
  const noted = Number(facts.metadata[PART_SIZE]);
  const partSize = noted > 0 ? noted : await sizeOfFirstPart(run, bucket, key);
  // A store that ignores the question tells the size of the whole.
  const fits = partSize !== undefined && partSize > 0 && Math.ceil(facts.size / partSize) === facts.parts;
  return fits ? { kind: 'parts', value: facts.etag, partSize } : { kind: 'none' };
}

async function sizeOfFirstPart(run: Run, bucket: string, key: string): Promise<number | undefined> {
  const first = await run.request(key, 0, () => headObject(run.store, { bucket, key, partNumber: 1, signal: run.signal }));
  return first?.partSize;
}

const PIECE = 1024 * 1024;

/** Whether the bytes are those of the proof. @throws S3Error when they cannot be read. */
export async function matches(
  run: Run,
  source: Readable,
  proof: Exclude<Proof, { kind: 'none' }>,
  name: string,
): Promise<boolean> {
  const { digests } = run.store;
  if (proof.kind === 'checksum') {
    const running = runningChecksum(digests, proof.name);
    await pieces(run, source, 0, source.size, name, (piece) => running.update(piece));
    return running.value() === proof.value;
  }
  const hashRange = async (start: number, size: number): Promise<string> => {
    const hash = digests.md5();
    await pieces(run, source, start, size, name, (piece) => hash.update(piece));
    return hash.hex();
  };
  if (proof.kind === 'md5') return (await hashRange(0, source.size)) === proof.value;
  const whole = digests.md5();
  let count = 0;
  for (let at = 0; at < source.size; at += proof.partSize, count++)
    whole.update(fromHex(await hashRange(at, Math.min(proof.partSize, source.size - at))));
  return `${whole.hex()}-${count}` === proof.value;
}

async function pieces(
  run: Run,
  source: Readable,
  start: number,
  size: number,
  name: string,
  each: (piece: Uint8Array) => void,
): Promise<void> {
  const buffer = await run.buffers.take(PIECE, run.signal);
  try {
    for (let at = 0; at < size;) {
      const piece = buffer.subarray(0, Math.min(PIECE, size - at));
      const read = await source.read(start + at, piece);
      if (read !== piece.length) throw new S3Error('FileChanged', `${name} changed while it was read.`);
      each(piece);
      at += read;
    }
  } finally {
    run.buffers.give(buffer);
  }
}

/** The CRC32 of an object by reading all of it: what is left when a store tells nothing of its bytes. */
export function readCrc(run: Run, bucket: string, key: string, facts: ObjectFacts): Promise<string> {
  return run.request(key, facts.size, async () => {
    const running = runningChecksum(run.store.digests, 'CRC32');
    await getObject(run.store, {
      bucket,
      key,
      ifMatch: facts.etag,
      signal: run.signal,
      onData: (piece) => running.update(piece),
    });
    return running.value();
  });
}
