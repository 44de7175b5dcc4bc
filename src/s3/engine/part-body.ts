import { runningChecksum } from '../checksum.js';
import { hashesNeeded } from '../commands/protect.js';
import type { BodyHashes } from '../commands/protect.js';
import type { Part } from '../plan.js';
import type { SourceReader } from '../types.js';
import type { BodyPieces } from '../wire.js';
import type { Run } from './run.js';
import { changed } from './upload-file.js';

/** A part up to this size is held whole and read once; a larger one is read twice, piece by piece. */
export const HELD_MAX = 16 * 1024 * 1024;

/** Reads exactly `into.length` bytes. @throws S3Error `FileChanged` when there are fewer. */
export async function readFully(reader: SourceReader, position: number, into: Uint8Array, name: string): Promise<void> {
  const read = await reader.read(position, into);
  if (read !== into.length) throw changed(name);
}

/** First reading of a large part: its hashes. SHA-256 and MD5 of a body that is not held come from running hashes. */
export async function hashPart(
  run: Run,
  reader: SourceReader,
  part: Part,
  buffer: Uint8Array,
  name: string,
): Promise<BodyHashes> {
  const { store } = run;
  const needed = hashesNeeded(store);
  const md5 = needed.md5 ? store.digests.md5() : undefined;
  const sha256 = needed.sha256 ? store.digests.sha256() : undefined;
  const checksum = runningChecksum(store.digests, store.checksum);
  // The buffer that was lent for the part serves both readings: to ask for another one here, inside a request, could
  // wait for parts that wait for this request.
  const pieces = piecesOf(reader, part, buffer, name);
  for (let piece = await pieces.next(); piece !== undefined; piece = await pieces.next()) {
    checksum.update(piece);
    md5?.update(piece);
    sha256?.update(piece);
  }
  return { checksum: checksum.value(), ...(md5 && { md5Hex: md5.hex() }), ...(sha256 && { sha256Hex: sha256.hex() }) };
}

/** Second reading: the body as it is sent, through one borrowed buffer. */
export function piecesOf(reader: SourceReader, part: Part, buffer: Uint8Array, name: string): BodyPieces {
  let at = 0;
  return {
    size: part.size,
    async next() {
      if (at === part.size) return undefined;
      const piece = buffer.subarray(0, Math.min(buffer.length, part.size - at));
      await readFully(reader, part.start + at, piece, name);
      at += piece.length;
      return piece;
    },
  };
}
