import type { ObjectProperties } from '../../types.js';
import type { Store } from '../object-store.js';
import { notS3Error } from '../response-error.js';
import { callSdk, commandSignal, withHeaders } from '../sdk.js';
import { withChecksums } from './body-checksums.js';
import { propertyHeaders } from './properties.js';

/** Request to create a multipart upload. */
interface CreateMultipartUpload {
  bucket: string;
  key: string;
  properties: ObjectProperties;
  /** Whether the parts will have checksums. @default true */
  checksums?: boolean;
  signal: AbortSignal;
}

/**
 * Creates a multipart upload.
 * @returns its id
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateMultipartUpload.html
 */
export function createMultipartUpload(store: Store, create: CreateMultipartUpload): Promise<string> {
  return withChecksums(store, () =>
    callSdk(store, async ({ client, module }) => {
      const usesChecksums = !store.refusesChecksums && create.checksums !== false;
      const command = new module.CreateMultipartUploadCommand({
        Bucket: create.bucket,
        Key: create.key,
        ...(usesChecksums && { ChecksumAlgorithm: store.checksum, ChecksumType: 'FULL_OBJECT' }),
      });
      const headers = propertyHeaders(create.properties);
      const response = await client.send(withHeaders(command, headers), commandSignal(create.signal));
      if (response.UploadId === undefined) throw notS3Error(200);
      return response.UploadId;
    }),
  );
}
