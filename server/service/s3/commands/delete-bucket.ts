import { BlobError } from '../../../../src/protocol/errors.js';
import { S3Error } from '../errors.js';
import type { Command } from '../service.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucket.html The account's main bucket stays. */
export const deleteBucket: Command = {
  name: 'DeleteBucket',
  method: 'DELETE',
  on: 'bucket',
  access: 'write',
  async run({ service, bucket }) {
    try {
      await service.blobs.deleteBucket(bucket);
    } catch (error) {
      const reason = error instanceof BlobError ? error.details['reason'] : undefined;
      if (reason === 'not_empty')
        throw new S3Error('BucketNotEmpty', undefined, { fields: { BucketName: bucket.name }, cause: error });
      if (reason === 'main') throw new S3Error('AccessDenied', "The account's main bucket cannot be deleted.", { cause: error });
      throw error;
    }
    return { status: 204 };
  },
};
