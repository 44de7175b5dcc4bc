import { BlobError } from '../../../../src/protocol/errors.js';
import { aclHeader } from '../access/acl.js';
import { S3ServiceError } from '../errors.js';
import type { BucketNameContext, Command } from '../command.js';
import { isBucketName } from '../messages/address.js';
import { readSmallBody } from '../body/read-small-body.js';
import { readXml } from '../xml/read-xml.js';

const MAX_BODY = 16 * 1024;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html */
export const createBucket: Command = {
  name: 'CreateBucket',
  method: 'PUT',
  target: 'bucket-name',
  access: 'write',
  async run(context) {
    const { service, request, grant, bucketName } = context;
    const isPublic = aclHeader(request) === 'public-read';
    // A public bucket can be listed by everyone, including the key pair that creates it.
    if (isPublic && !grant.mayRead) throw new S3ServiceError('AccessDenied', 'This key pair may not read.');
    if (!isBucketName(bucketName))
      throw new S3ServiceError('InvalidBucketName', undefined, { fields: { BucketName: bucketName } });
    await rejectUnsupportedConfiguration(context);
    try {
      const bucket = await service.blobs.createBucket(grant.accountId, bucketName);
      if (isPublic) await service.blobs.changeBucketSettings(bucket, { acl: 'public-read' });
    } catch (error) {
      const reason = error instanceof BlobError ? error.details['reason'] : undefined;
      const options = { fields: { BucketName: bucketName }, cause: error };
      if (reason === 'taken') throw new S3ServiceError('BucketAlreadyExists', undefined, options);
      if (reason !== 'yours') throw error;
      // In us-east-1, S3 reports success when the owner creates the same bucket again.
      if (service.region !== 'us-east-1') throw new S3ServiceError('BucketAlreadyOwnedByYou', undefined, options);
    }
    return { status: 200, headers: { location: `/${bucketName}` } };
  },
};

/** Accepts any `LocationConstraint`, because the endpoint serves every region. @throws S3ServiceError `NotImplemented` for other settings. */
async function rejectUnsupportedConfiguration({ request, payload }: BucketNameContext): Promise<void> {
  const hasBody = request.headers.get('content-length') !== undefined || request.headers.get('transfer-encoding') !== undefined;
  const body = hasBody ? await readSmallBody(request, payload(), MAX_BODY) : '';
  if (body.trim() === '') return;
  const settings = [...readXml(body, 'CreateBucketConfiguration').children.keys()];
  if (settings.some((name) => name !== 'LocationConstraint')) throw new S3ServiceError('NotImplemented');
}
