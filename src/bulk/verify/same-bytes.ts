import { expectedDigest, matchesDigest, matchesUsualPartSize, downloadCrc32 } from './content-digest.js';
import type { ObjectHead } from '../s3/commands/head-object.js';
import { headObject } from '../list/head-object.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { ObjectEntry, SourceFile } from '../types.js';

/** Whether every byte is the same, by the store's checksum where it has one, else by reading the object. */
export async function hasSameBytes(
  context: TransferContext,
  bucket: string,
  file: SourceFile,
  entry: ObjectEntry,
): Promise<boolean> {
  const facts = await headObject(context, bucket, entry.key);
  return facts !== undefined && hasBytes(context, bucket, file, entry, facts);
}

export async function hasBytes(
  context: TransferContext,
  bucket: string,
  file: SourceFile,
  entry: ObjectEntry,
  facts: ObjectHead,
): Promise<boolean> {
  const reader = await file.open!();
  try {
    if (reader.size !== facts.size) return false;
    const known = await expectedDigest(context, bucket, entry.key, facts);
    const expected =
      known.kind === 'none'
        ? ({ kind: 'checksum', name: 'CRC32', value: await downloadCrc32(context, bucket, entry.key, facts) } as const)
        : known;
    return (
      (await matchesDigest(context, reader, expected, entry.key)) ||
      (await matchesUsualPartSize(context, entry.key, facts, reader))
    );
  } finally {
    reader.close();
  }
}
