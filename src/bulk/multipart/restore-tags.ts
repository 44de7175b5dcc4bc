import { ignoreForbidden } from '../error-kinds.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import { putObjectTagging } from '../s3/commands/put-object-tagging.js';
import { headObject } from '../list/head-object.js';

/**
 * Sets the tags of an object again after a multipart upload. Ceph 16 drops them silently; the first object with tags shows whether
 * the store does.
 */
export async function restoreTags(
  context: TransferContext,
  { bucket, key }: { bucket: string; key: string },
  tags?: string,
): Promise<void> {
  const { store, signal } = context;
  if (tags === undefined) return;
  store.keepsMultipartTags ??= (await headObject(context, bucket, key).catch(ignoreForbidden))?.tags !== 0;
  if (!store.keepsMultipartTags)
    await context.executor.request(key, 0, () => putObjectTagging(store, { bucket, key, tags, signal }));
}
