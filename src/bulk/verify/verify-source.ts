import { runningChecksum } from '../s3/checksums.js';
import type { JournalPart } from '../journal/resume-journal.js';
import { partAt } from '../transfer/part-plan.js';
import type { SourceReader } from '../types.js';
import { throwIfAborted } from '../transfer/abort.js';
import { piecesOf } from '../transfer/part-body.js';
import type { Run } from '../transfer/run.js';

const PIECE = 1024 * 1024;

/**
 * Reads a file once more whose platform tells of no change, and holds each part against what was sent of it: parts of before and
 * after a change would make an object that no file ever was.
 */
export async function readsTheSame(
  run: Run,
  reader: SourceReader,
  parts: readonly JournalPart[],
  partSize: number,
  name: string,
): Promise<boolean> {
  const { digests, checksum: kind } = run.store;
  const buffer = await run.buffers.take(PIECE, run.signal);
  try {
    for (const { number, checksum } of parts) {
      const again = runningChecksum(digests, kind);
      const pieces = piecesOf(reader, partAt(number, reader.size, partSize), buffer, name);
      for (let piece = await pieces.next(); piece !== undefined; piece = await pieces.next()) {
        again.update(piece);
        throwIfAborted(run.signal);
      }
      if (again.value() !== checksum) return false;
    }
    return true;
  } finally {
    run.buffers.give(buffer);
  }
}
