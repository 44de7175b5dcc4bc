import { fromSdk, sdkOf, commandSignal } from '../sdk.js';
import type { Store } from '../object-store.js';

/** Source: AWS API reference, PutObjectTagging. @param put.tags as `ObjectProperties.tags` */
export async function putObjectTagging(
  store: Store,
  put: { bucket: string; key: string; tags: string; signal: AbortSignal },
): Promise<void> {
  try {
    const { client, module } = await sdkOf(store);
    const TagSet = [...new URLSearchParams(put.tags)].map(([Key, Value]) => ({ Key, Value }));
    const command = new module.PutObjectTaggingCommand({ Bucket: put.bucket, Key: put.key, Tagging: { TagSet } });
    await client.send(command, commandSignal(put.signal));
  } catch (error) {
    throw fromSdk(error);
  }
}
