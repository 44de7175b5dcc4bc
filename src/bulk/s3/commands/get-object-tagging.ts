import { encodeQuery } from '../object-keys.js';
import type { Store } from '../object-store.js';
import { callSdk, commandSignal } from '../sdk.js';

/**
 * Requests the tags of an object.
 * @returns the tags as in `ObjectProperties.tags`
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectTagging.html
 */
export function getObjectTagging(store: Store, get: { bucket: string; key: string; signal: AbortSignal }): Promise<string> {
  return callSdk(store, async ({ client, module }) => {
    const command = new module.GetObjectTaggingCommand({ Bucket: get.bucket, Key: get.key });
    const { TagSet = [] } = await client.send(command, commandSignal(get.signal));
    return TagSet.map(({ Key = '', Value = '' }) => `${encodeQuery(Key)}=${encodeQuery(Value)}`).join('&');
  });
}
