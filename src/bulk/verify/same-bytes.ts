import { headObject } from '../list/head-object.js';
import { runningChecksum } from '../s3/checksums.js';
import { getObject } from '../s3/commands/get-object.js';
import type { ObjectHead } from '../s3/commands/head-object.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { ObjectEntry, SourceFile } from '../types.js';
import { expectedDigest } from './expected-digest.js';
import type { KnownDigest } from './expected-digest.js';
import { matchesDigest } from './running-digest.js';
import { matchesUsualPartSize } from './verify-download.js';

/** Returns whether a file has the bytes of an object. False if the object does not exist. @throws S3Error */
export async function hasSameBytes(
  context: TransferContext,
  bucket: string,
  file: SourceFile,
  entry: ObjectEntry,
): Promise<boolean> {
  const head = await headObject(context, bucket, entry.key);
  return head !== undefined && hasBytesOf(context, bucket, file, entry, head);
}

/**
 * Returns whether a file has the bytes of an object with this head: by the digest that the store keeps, else by a download of the
 * object.
 * @throws S3Error
 */
export async function hasBytesOf(
  context: TransferContext,
  bucket: string,
  file: SourceFile,
  entry: ObjectEntry,
  head: ObjectHead,
): Promise<boolean> {
  const { key } = entry;
  const reader = await file.open!();
  try {
    if (reader.size !== head.size) return false;
    const known = await expectedDigest(context, bucket, key, head);
    const expected = known.kind === 'none' ? await downloadedDigest(context, bucket, key, head) : known;
    return (await matchesDigest(context, reader, expected, key)) || (await matchesUsualPartSize(context, key, head, reader));
  } finally {
    reader.close();
  }
}

/** Downloads an object and returns its CRC32. Used if the store keeps no digest of the object. */
async function downloadedDigest(context: TransferContext, bucket: string, key: string, head: ObjectHead): Promise<KnownDigest> {
  const { executor, signal, store } = context;
  const value = await executor.request(key, head.size, async () => {
    const running = runningChecksum(store.digests, 'CRC32');
    await getObject(store, { bucket, key, ifMatch: head.etag, signal, onData: (piece) => running.update(piece) });
    return running.value();
  });
  return { kind: 'checksum', name: 'CRC32', value };
}
