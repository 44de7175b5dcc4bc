import type { Store } from '../object-store.js';
import { callSdk, commandSignal } from '../sdk.js';
import { unquote } from './body-checksums.js';
import type { UploadRef } from './upload-ref.js';

/** One part of the object to create. */
export interface CompletedPart {
  number: number;
  etag: string;
  checksum?: string;
}

/** Request to complete a multipart upload. */
interface CompleteMultipartUpload extends UploadRef {
  parts: CompletedPart[];
  /** Checksum of the object; undefined if the store copied the parts. */
  checksum?: string;
  /** Bytes of the object. */
  size: number;
  /** Never replaces an object. @default false */
  onlyNew?: boolean;
  signal: AbortSignal;
}

/**
 * Joins the parts of an upload into an object.
 * @returns the ETag, and the checksum of the object if the store returns one
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html
 */
export function completeMultipartUpload(
  store: Store,
  complete: CompleteMultipartUpload,
): Promise<{ etag: string; checksum: string | undefined }> {
  return callSdk(store, async ({ client, module }) => {
    const element = `Checksum${store.checksum}` as const;
    const sendsChecksums = store.confirmsChecksums === true && complete.checksum !== undefined;
    const command = new module.CompleteMultipartUploadCommand({
      Bucket: complete.bucket,
      Key: complete.key,
      UploadId: complete.uploadId,
      MultipartUpload: {
        Parts: complete.parts.map((part) => ({
          PartNumber: part.number,
          ETag: `"${part.etag}"`,
          ...(sendsChecksums && part.checksum !== undefined && { [element]: part.checksum }),
        })),
      },
      ...(sendsChecksums && { [element]: complete.checksum, ChecksumType: 'FULL_OBJECT', MpuObjectSize: complete.size }),
      ...(complete.onlyNew && { IfNoneMatch: '*' }),
    });
    const response = await client.send(command, commandSignal(complete.signal));
    return { etag: unquote(response.ETag), checksum: response[element] };
  });
}
