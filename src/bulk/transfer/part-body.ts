import { S3Error } from '../errors.js';
import type { BodyPieces } from '../http/http-client.js';
import type { SourceReader } from '../types.js';
import type { Part } from './part-plan.js';

/**
 * Parts up to this size are read into memory once. Larger parts, and parts that a page sends as a Blob, are read in pieces: once
 * if the store accepts a checksum after the body, else twice. Bytes.
 */
export const BUFFERED_PART_MAX = 16 * 1024 * 1024;

/** The body of a request that reads a part in pieces. */
interface PartBody extends BodyPieces {
  /** Ends the body after its request. Resolves when no read is under way. */
  stop(): Promise<void>;
}

/** Returns the body of a part. It reads one piece after the other into `buffer`. */
export function partBody(reader: Pick<SourceReader, 'read' | 'blob'>, part: Part, buffer: Uint8Array, name: string): PartBody {
  let position = 0;
  let reading: Promise<void> | undefined;
  return {
    size: part.size,
    ...(reader.blob && { blob: reader.blob(part.start, part.size) }),
    async next() {
      if (position >= part.size) return undefined;
      const piece = buffer.subarray(0, Math.min(buffer.length, part.size - position));
      reading = readFully(reader, part.start + position, piece, name);
      await reading;
      position += piece.length;
      return piece;
    },
    async stop() {
      position = part.size;
      await reading?.catch(() => {});
    },
  };
}

/** Reads exactly `into.length` bytes. @throws S3Error `FileChanged` if there are fewer */
export async function readFully(
  reader: Pick<SourceReader, 'read' | 'blob'>,
  position: number,
  into: Uint8Array,
  name: string,
): Promise<void> {
  const bytesRead = await reader.read(position, into);
  if (bytesRead !== into.length) throw fileChanged(name);
}

/** Creates the error for a source that changed during its upload. */
export const fileChanged = (name: string): S3Error => new S3Error('FileChanged', `${name} changed while it was read.`);
