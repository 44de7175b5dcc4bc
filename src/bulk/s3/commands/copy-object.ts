import type { ObjectProperties } from '../../types.js';
import { encodeKey } from '../object-keys.js';
import type { Store } from '../object-store.js';
import { callSdk, commandSignal, withHeaders } from '../sdk.js';
import { etagOf } from './body-checksums.js';
import { propertyHeaders } from './properties.js';

/** Request to copy an object of at most 5 GiB. */
export interface CopyObject {
  /** The copy fails with `PreconditionFailed` if the source no longer has this ETag. */
  from: { bucket: string; key: string; etag: string };
  bucket: string;
  key: string;
  /** @default the properties of the source */
  properties?: ObjectProperties;
  /** Whether `properties` are complete, so that the copy keeps none of the source. @default false */
  replace?: boolean;
  /** Never replaces an object. @default false */
  onlyNew?: boolean;
  signal: AbortSignal;
}

/** Request to copy a range of an object into a part. */
interface CopyPart extends Pick<CopyObject, 'from' | 'bucket' | 'key' | 'signal'> {
  uploadId: string;
  /** Part number, 1 to 10000. */
  number: number;
  /** First byte of the range. */
  start: number;
  size: number;
}

const copySourceOf = (from: CopyObject['from']): string => `${from.bucket}/${encodeKey(from.key)}`;

/**
 * Copies an object within the store.
 * @returns the ETag of the copy
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html
 */
export function copyObject(store: Store, copy: CopyObject): Promise<string> {
  return callSdk(store, async ({ client, module }) => {
    const command = new module.CopyObjectCommand({
      Bucket: copy.bucket,
      Key: copy.key,
      CopySource: copySourceOf(copy.from),
      CopySourceIfMatch: `"${copy.from.etag}"`,
      ...(copy.replace && { MetadataDirective: 'REPLACE' }),
      ...(copy.properties?.tags !== undefined && { TaggingDirective: 'REPLACE' }),
      ...(copy.onlyNew && { IfNoneMatch: '*' }),
    });
    const headers = propertyHeaders(copy.properties ?? {});
    const response = await client.send(withHeaders(command, headers), commandSignal(copy.signal));
    return etagOf(response.CopyObjectResult?.ETag);
  });
}

/**
 * Copies a range of an object into a part of a multipart upload.
 * @returns the ETag of the part
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPartCopy.html
 */
export function copyPart(store: Store, copy: CopyPart): Promise<string> {
  return callSdk(store, async ({ client, module }) => {
    const command = new module.UploadPartCopyCommand({
      Bucket: copy.bucket,
      Key: copy.key,
      UploadId: copy.uploadId,
      PartNumber: copy.number,
      CopySource: copySourceOf(copy.from),
      CopySourceIfMatch: `"${copy.from.etag}"`,
      CopySourceRange: `bytes=${copy.start}-${copy.start + copy.size - 1}`,
    });
    const response = await client.send(command, commandSignal(copy.signal));
    return etagOf(response.CopyPartResult?.ETag);
  });
}
