import { BlobError } from '../../../../src/protocol/errors.js';
import { S3ServiceError } from '../errors.js';
import type { Command } from '../command.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucket.html The main bucket of an account cannot be deleted. */
export const deleteBucket: Command = {
  name: 'DeleteBucket',
  method: 'DELETE',
  target: 'bucket',
  access: 'write',
  async run({ service, bucket }) {
    try {
      await service.blobs.deleteBucket(bucket);
    } catch (error) {
      const reason = error instanceof BlobError ? error.details['reason'] : undefined;
      if (reason === 'not_empty')
        throw new S3ServiceError('BucketNotEmpty', undefined, { fields: { BucketName: bucket.name }, cause: error });
      if (reason === 'main')
        throw new S3ServiceError('AccessDenied', "The account's main bucket cannot be deleted.", { cause: error });
      throw error;
    }
    return { status: 204 };
  },
};
