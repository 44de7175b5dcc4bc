import type { ListPartsCommandOutput } from '@aws-sdk/client-s3';
import type { Store } from '../object-store.js';
import { callSdk, commandSignal } from '../sdk.js';
import { unquote } from './body-checksums.js';
import { isUnknownUpload } from './upload-ref.js';
import type { UploadRef } from './upload-ref.js';

/** One part in the store. */
export interface StoredPart {
  number: number;
  size: number;
  etag: string;
  /** Checksum of the kind `Store.checksum`, if the store returns it. */
  checksum: string | undefined;
}

/**
 * Lists the parts of an upload.
 * @returns undefined if the store does not know the upload
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListParts.html
 */
export async function listParts(store: Store, upload: UploadRef & { signal: AbortSignal }): Promise<StoredPart[] | undefined> {
  const parts: StoredPart[] = [];
  try {
    let marker: string | undefined;
    for (let hasMore = true; hasMore;) {
      const page = await listPage(store, upload, marker);
      for (const part of page.Parts ?? [])
        parts.push({
          number: part.PartNumber!,
          size: part.Size!,
          etag: unquote(part.ETag),
          checksum: part[`Checksum${store.checksum}`],
        });
      // Without this check, a marker that does not advance would be requested without end.
      const isAdvancing = (page.Parts?.length ?? 0) > 0 && Number(page.NextPartNumberMarker) > Number(marker ?? 0);
      hasMore = page.IsTruncated === true && isAdvancing;
      marker = page.NextPartNumberMarker;
    }
  } catch (error) {
    if (isUnknownUpload(error)) return undefined;
    throw error;
  }
  return parts;
}

function listPage(
  store: Store,
  { bucket, key, uploadId, signal }: UploadRef & { signal: AbortSignal },
  marker: string | undefined,
): Promise<ListPartsCommandOutput> {
  return callSdk(store, ({ client, module }) => {
    const command = new module.ListPartsCommand({
      Bucket: bucket,
      Key: key,
      UploadId: uploadId,
      ...(marker !== undefined && { PartNumberMarker: marker }),
    });
    return client.send(command, commandSignal(signal));
  });
}
