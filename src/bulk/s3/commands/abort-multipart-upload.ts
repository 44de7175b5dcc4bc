import type { Store } from '../object-store.js';
import { callSdk, commandSignal } from '../sdk.js';
import { isUnknownUpload } from './upload-ref.js';
import type { UploadRef } from './upload-ref.js';

/**
 * Aborts a multipart upload. Succeeds if the store does not know it.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_AbortMultipartUpload.html
 */
export async function abortMultipartUpload(store: Store, upload: UploadRef & { signal: AbortSignal }): Promise<void> {
  try {
    await callSdk(store, async ({ client, module }) => {
      const { bucket, key, uploadId } = upload;
      const command = new module.AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId: uploadId });
      await client.send(command, commandSignal(upload.signal));
    });
  } catch (error) {
    if (!isUnknownUpload(error)) throw error;
  }
}
