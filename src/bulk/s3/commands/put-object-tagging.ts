import type { Store } from '../object-store.js';
import { callSdk, commandSignal } from '../sdk.js';

/** Request to replace the tags of an object. */
interface PutObjectTagging {
  bucket: string;
  key: string;
  /** Tags as in `ObjectProperties.tags`. */
  tags: string;
  signal: AbortSignal;
}

/**
 * Replaces the tags of an object.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectTagging.html
 */
export function putObjectTagging(store: Store, put: PutObjectTagging): Promise<void> {
  return callSdk(store, async ({ client, module }) => {
    const TagSet = [...new URLSearchParams(put.tags)].map(([Key, Value]) => ({ Key, Value }));
    const command = new module.PutObjectTaggingCommand({ Bucket: put.bucket, Key: put.key, Tagging: { TagSet } });
    await client.send(command, commandSignal(put.signal));
  });
}
