import { throwIfAborted } from '../abort.js';
import type { JournalPart } from '../journal/resume-journal.js';
import { runningChecksum } from '../s3/checksums.js';
import { partBody } from '../transfer/part-body.js';
import { partAt } from '../transfer/part-plan.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { SourceReader } from '../types.js';

const PIECE = 1024 * 1024;

/**
 * Reads a file again after its parts were sent, and compares each part with the checksum of the sent bytes. Needed on platforms
 * that do not report changes: parts from before and after a change would make an object that never existed as a file.
 */
export async function readsSameBytes(
  context: TransferContext,
  reader: SourceReader,
  parts: readonly JournalPart[],
  partSize: number,
  name: string,
): Promise<boolean> {
  const { digests, checksum: checksumName } = context.store;
  const buffer = await context.buffers.acquire(PIECE, context.signal);
  try {
    for (const { number, checksum } of parts) {
      const running = runningChecksum(digests, checksumName);
      const pieces = partBody(reader, partAt(number, reader.size, partSize), buffer, name);
      for (let piece = await pieces.next(); piece !== undefined; piece = await pieces.next()) {
        running.update(piece);
        throwIfAborted(context.signal);
      }
      if (running.value() !== checksum) return false;
    }
    return true;
  } finally {
    context.buffers.release(buffer);
  }
}
