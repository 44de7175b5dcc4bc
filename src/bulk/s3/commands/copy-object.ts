import { encodeKey } from '../object-keys.js';
import { fromSdk, sdkOf, commandSignal, withHeaders } from '../sdk.js';
import type { Store } from '../object-store.js';
import type { ObjectProperties } from '../../types.js';
import { propertyHeaders } from './properties.js';
import { etagOf } from './body-checksums.js';

export interface CopyObject {
  from: { bucket: string; key: string; etag: string };
  bucket: string;
  key: string;
  properties?: ObjectProperties;
  /** These are all: nothing is taken from the source. */
  replace?: boolean;
  /** Refuse to replace what is there. */
  onlyNew?: boolean;
  signal: AbortSignal;
}

const sourceOf = (from: CopyObject['from']): string => `${from.bucket}/${encodeKey(from.key)}`;

/** Within the store, of at most 5 GiB. Source: AWS API reference, CopyObject. @returns the new ETag. */
export async function copyObject(store: Store, copy: CopyObject): Promise<string> {
  try {
    const { client, module } = await sdkOf(store);
    const command = new module.CopyObjectCommand({
      Bucket: copy.bucket,
      Key: copy.key,
      CopySource: sourceOf(copy.from),
      CopySourceIfMatch: `"${copy.from.etag}"`,
      ...(copy.replace && { MetadataDirective: 'REPLACE' }),
      ...(copy.properties?.tags !== undefined && { TaggingDirective: 'REPLACE' }),
      ...(copy.onlyNew && { IfNoneMatch: '*' }),
    });
    const headers = propertyHeaders(copy.properties ?? {});
    const response = await client.send(withHeaders(command, headers), commandSignal(copy.signal));
    return etagOf(response.CopyObjectResult?.ETag);
  } catch (error) {
    throw fromSdk(error);
  }
}

/** One range of a larger object. Source: AWS API reference, UploadPartCopy. @returns the part's ETag. */
export async function copyPart(
  store: Store,
  copy: Omit<CopyObject, 'properties' | 'replace' | 'onlyNew'> & {
    uploadId: string;
    number: number;
    start: number;
    size: number;
  },
): Promise<string> {
  try {
    const { client, module } = await sdkOf(store);
    const response = await client.send(
      new module.UploadPartCopyCommand({
        Bucket: copy.bucket,
        Key: copy.key,
        UploadId: copy.uploadId,
        PartNumber: copy.number,
        CopySource: sourceOf(copy.from),
        CopySourceIfMatch: `"${copy.from.etag}"`,
        CopySourceRange: `bytes=${copy.start}-${copy.start + copy.size - 1}`,
      }),
      commandSignal(copy.signal),
    );
    return etagOf(response.CopyPartResult?.ETag);
  } catch (error) {
    throw fromSdk(error);
  }
}
