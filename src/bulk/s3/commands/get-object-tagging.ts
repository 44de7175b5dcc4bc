import { encodeQuery } from '../object-keys.js';
import { fromSdk, sdkOf, commandSignal } from '../sdk.js';
import type { Store } from '../object-store.js';

/** Source: AWS API reference, GetObjectTagging. @returns them as `ObjectProperties.tags`. */
export async function getObjectTagging(store: Store, get: { bucket: string; key: string; signal: AbortSignal }): Promise<string> {
  try {
    const { client, module } = await sdkOf(store);
    const command = new module.GetObjectTaggingCommand({ Bucket: get.bucket, Key: get.key });
    const { TagSet = [] } = await client.send(command, commandSignal(get.signal));
    return TagSet.map(({ Key = '', Value = '' }) => `${encodeQuery(Key)}=${encodeQuery(Value)}`).join('&');
  } catch (error) {
    throw fromSdk(error);
  }
}
