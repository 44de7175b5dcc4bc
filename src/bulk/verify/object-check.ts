import { runningChecksum } from '../s3/checksums.js';
import { fromHex } from '../s3/commands/protect.js';
import { headObject, toldOf } from '../s3/commands/head-object.js';
import type { ObjectFacts, Told } from '../s3/commands/head-object.js';
import { getObject } from '../s3/commands/get-object.js';
import type { Digests } from '../s3/digests.js';
import { S3Error } from '../errors.js';
import { MULTIPART } from '../transfer/part-plan.js';
import type { TargetFile } from '../types.js';
import { PART_SIZE } from '../transfer/multipart-session.js';
import { readFully } from '../transfer/part-body.js';
import type { Run } from '../transfer/run.js';

/** Bytes that can be read again: a local file, or a download before it is committed. */
export interface Readable {
  size: number;
  read(position: number, into: Uint8Array): number | Promise<number>;
}

/** The size of an object's parts: as the store tells it, else as it was noted, which may be that of the object it was copied from. */
export async function partSizeOf(run: Run, bucket: string, key: string, facts: ObjectFacts): Promise<number | undefined> {
  if (facts.parts === 1) return facts.size;
  const first = await run.request(key, 0, () => headObject(run.store, { bucket, key, partNumber: 1, signal: run.signal }));
  // A store that ignores the question tells the whole.
  return [first?.partSize, Number(facts.metadata[PART_SIZE])].find(
    (size) => size !== undefined && size > 0 && size <= MULTIPART.maxPart && Math.ceil(facts.size / size) === facts.parts,
  );
}

/** What tells the bytes of an object. */
export type Known = Told | { kind: 'parts'; value: string; partSize: number };
/** The best that a store keeps of them. */
export type Proof = Known | { kind: 'none' };

/** Finds out how an object's bytes can be checked; asks for the size of its parts where that is needed. */
export async function proofOf(run: Run, bucket: string, key: string, facts: ObjectFacts): Promise<Proof> {
  const told = toldOf(facts);
  if (told !== undefined) return told;
  if (!isOfParts(facts)) return { kind: 'none' };
  const partSize = await partSizeOf(run, bucket, key, facts);
  return partSize === undefined ? { kind: 'none' } : { kind: 'parts', value: facts.etag, partSize };
}

const isOfParts = ({ encrypted, etag }: ObjectFacts): boolean => !encrypted && /^[0-9a-f]{32}-\d+$/.test(etag);

const MiB = 1024 * 1024;

/**
 * What the bytes of an object can be compared with while they come. The size of parts that nobody tells is guessed: what differs then is
 * to be looked at by `proven`.
 */
export async function likelyProof(run: Run, bucket: string, key: string, facts: ObjectFacts): Promise<Proof> {
  const proof = await proofOf(run, bucket, key, facts);
  const partSize = proof.kind === 'none' && isOfParts(facts) ? usualParts(facts)[0] : undefined;
  return partSize === undefined ? proof : { kind: 'parts', value: facts.etag, partSize };
}

/** What tools make parts of by default: AWS's, rclone's, ours (those of copies, too), those of SDKs, and of consoles. */
const USUAL_PARTS = [8, 5, 16, 15, 64, 100, 10, 32, 50, 128, 256].map((size) => size * MiB);
/** Those of them that an object may have. */
const usualParts = ({ size, parts }: ObjectFacts): number[] =>
  [...new Set([...USUAL_PARTS, Math.ceil(size / parts / MiB) * MiB])].filter((one) => Math.ceil(size / one) === parts);

/**
 * Compares bytes with whatever a store keeps of them. Where it does not tell how large the parts were that its ETag is made of, the
 * usual sizes are tried: one that fits proves the bytes, and none proves nothing.
 * @returns whether that could be told. @throws S3Error `ChecksumMismatch`
 */
export async function proven(run: Run, bucket: string, key: string, facts: ObjectFacts, source: Readable): Promise<boolean> {
  const proof = await proofOf(run, bucket, key, facts);
  if (proof.kind !== 'none' && (await matches(run, source, proof, key))) return true;
  if (await isOfUsualParts(run, key, facts, source)) return true;
  if (proof.kind !== 'none') throw mismatch(key);
  return false;
}

/** Whether the ETag is that of the bytes in parts of a usual size. */
export async function isOfUsualParts(run: Run, key: string, facts: ObjectFacts, source: Readable): Promise<boolean> {
  if (facts.checksum !== undefined || !isOfParts(facts)) return false;
  for (const partSize of usualParts(facts)) {
    if (await matches(run, source, { kind: 'parts', value: facts.etag, partSize }, key)) return true;
  }
  return false;
}

/** What a proof is compared with, of bytes that come in order. */
export function running(digests: Digests, proof: Known) {
  if (proof.kind === 'checksum') return runningChecksum(digests, proof.name);
  const whole = digests.md5();
  if (proof.kind === 'md5') return { update: (bytes: Uint8Array) => whole.update(bytes), value: () => whole.hex() };
  const { partSize } = proof;
  let [part, filled, count] = [digests.md5(), 0, 0];
  const close = (): void => {
    whole.update(fromHex(part.hex()));
    [part, filled, count] = [digests.md5(), 0, count + 1];
  };
  return {
    update(bytes: Uint8Array): void {
      for (let at = 0; at < bytes.length;) {
        const piece = bytes.subarray(at, at + partSize - filled);
        part.update(piece);
        at += piece.length;
        filled += piece.length;
        if (filled === partSize) close();
      }
    },
    value(): string {
      if (filled > 0) close();
      return `${whole.hex()}-${count}`;
    },
  };
}

export const mismatch = (key: string): S3Error =>
  new S3Error('ChecksumMismatch', `${key}: what arrived is not what the store has a checksum of.`);

const PIECE = MiB;

/** Whether the bytes are those of the proof. @throws S3Error when they cannot be read. */
export async function matches(run: Run, source: Readable, proof: Known, name: string): Promise<boolean> {
  const hash = running(run.store.digests, proof);
  const buffer = await run.buffers.take(PIECE, run.signal);
  try {
    for (let at = 0; at < source.size; at += PIECE) {
      const piece = buffer.subarray(0, Math.min(PIECE, source.size - at));
      await readFully(source, at, piece, name);
      hash.update(piece);
    }
  } finally {
    run.buffers.give(buffer);
  }
  return hash.value() === proof.value;
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

/** Where nothing came along that tells the bytes: asks for what may, and counts the file where nothing does. */
export async function checkFile(run: Run, bucket: string, key: string, facts: ObjectFacts, file: TargetFile): Promise<void> {
  const source = file.read && { size: facts.size, read: file.read.bind(file) };
  if (source === undefined || !(await proven(run, bucket, key, facts, source))) run.summary.unverified++;
}
