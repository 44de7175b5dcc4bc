import type { TransferContext } from '../transfer/transfer-context.js';
import { runningChecksum } from '../s3/checksums.js';
import type { JournalPart } from '../journal/resume-journal.js';
import { partAt } from '../transfer/part-plan.js';
import type { SourceReader } from '../types.js';
import { throwIfAborted } from '../abort.js';
import { partBody } from '../transfer/part-body.js';

const PIECE = 1024 * 1024;

/**
 * Reads a file once more whose platform tells of no change, and holds each part against what was sent of it: parts of before and
 * after a change would make an object that no file ever was.
 */
export async function readsSameBytes(
  context: TransferContext,
  reader: SourceReader,
  parts: readonly JournalPart[],
  partSize: number,
  name: string,
): Promise<boolean> {
  const { digests, checksum: kind } = context.store;
  const buffer = await context.buffers.acquire(PIECE, context.signal);
  try {
    for (const { number, checksum } of parts) {
      const again = runningChecksum(digests, kind);
      const pieces = partBody(reader, partAt(number, reader.size, partSize), buffer, name);
      for (let piece = await pieces.next(); piece !== undefined; piece = await pieces.next()) {
        again.update(piece);
        throwIfAborted(context.signal);
      }
      if (again.value() !== checksum) return false;
    }
    return true;
  } finally {
    context.buffers.release(buffer);
  }
}
