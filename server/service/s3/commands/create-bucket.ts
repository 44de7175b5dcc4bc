import { BlobError } from '../../../../src/protocol/errors.js';
import { statedAcl } from '../access/acl.js';
import { S3Error } from '../errors.js';
import type { Command } from '../service.js';
import { isBucketName } from '../messages/address.js';
import { readSmall } from '../messages/body-checks.js';
import { readXml } from '../xml/read.js';

const MAX_BODY = 16 * 1024;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html */
export const createBucket: Command = {
  name: 'CreateBucket',
  method: 'PUT',
  on: 'name',
  access: 'write',
  async run({ service, request, grant, bucketName, payload }) {
    // Everyone may list a public bucket, and so may the pair that creates it.
    if (statedAcl(request) === 'public-read' && !grant.mayRead) throw new S3Error('AccessDenied', 'This key pair may not read.');
    if (!isBucketName(bucketName)) throw new S3Error('InvalidBucketName', undefined, { fields: { BucketName: bucketName } });
    const hasBody = request.headers.get('content-length') !== undefined || request.headers.get('transfer-encoding') !== undefined;
    const body = hasBody ? await readSmall(request, payload(), MAX_BODY) : '';
    // Every region is served from here, so a location constraint is as good as none.
    if (body.trim() !== '') {
      const wishes = [...readXml(body, 'CreateBucketConfiguration').children.keys()];
      if (wishes.some((one) => one !== 'LocationConstraint')) throw new S3Error('NotImplemented');
    }
    try {
      const bucket = await service.blobs.createBucket(grant.accountId, bucketName);
      if (statedAcl(request) === 'public-read') await service.blobs.changeBucketSettings(bucket, { acl: 'public-read' });
    } catch (error) {
      const reason = error instanceof BlobError ? error.details['reason'] : undefined;
      const fields = { BucketName: bucketName };
      if (reason === 'taken') throw new S3Error('BucketAlreadyExists', undefined, { fields, cause: error });
      // The first region never refused to make a bucket that its owner has.
      if (reason === 'yours' && service.region === 'us-east-1') return { status: 200, headers: { location: `/${bucketName}` } };
      if (reason === 'yours') throw new S3Error('BucketAlreadyOwnedByYou', undefined, { fields, cause: error });
      throw error;
    }
    return { status: 200, headers: { location: `/${bucketName}` } };
  },
};
