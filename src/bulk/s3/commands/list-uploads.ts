import type { Store } from '../object-store.js';
import { callSdk, commandSignal } from '../sdk.js';

/** One multipart upload that is neither completed nor aborted. */
export interface UploadEntry {
  key: string;
  uploadId: string;
  /** Time at which it was created. */
  initiatedMs: number;
}

/** Last upload of a page. The next page begins after it. */
export interface UploadsAfter {
  key: string;
  uploadId: string;
}

/**
 * Lists one page of the unfinished uploads below a prefix.
 * @returns the page, and where the next one begins
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListMultipartUploads.html
 */
export function listUploads(
  store: Store,
  list: { bucket: string; prefix: string; after?: UploadsAfter; signal: AbortSignal },
): Promise<{ uploads: UploadEntry[]; after: UploadsAfter | undefined }> {
  return callSdk(store, async ({ client, module }) => {
    const { bucket, prefix, after } = list;
    const command = new module.ListMultipartUploadsCommand({
      Bucket: bucket,
      Prefix: prefix,
      ...(after && { KeyMarker: after.key, UploadIdMarker: after.uploadId }),
    });
    const page = await client.send(command, commandSignal(list.signal));
    const uploads = (page.Uploads ?? []).map((upload) => ({
      key: upload.Key!,
      uploadId: upload.UploadId!,
      initiatedMs: upload.Initiated?.getTime() ?? 0,
    }));
    const { NextKeyMarker: key, NextUploadIdMarker: uploadId } = page;
    // A marker that does not advance would be requested without end.
    const hasMore = page.IsTruncated === true && key !== undefined && uploadId !== undefined && uploadId !== after?.uploadId;
    return { uploads, after: hasMore ? { key, uploadId } : undefined };
  });
}
