import { aclXml } from '../access/acl.js';
import { noSuchKey } from '../read-object.js';
import type { Command } from '../service.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectAcl.html */
export const getObjectAcl: Command = {
  name: 'GetObjectAcl',
  method: 'GET',
  on: 'object',
  query: ['acl'],
  access: 'read',
  async run({ service, bucket, storage, key }) {
    const file = await service.blobs.get(storage, key);
    if (!file) throw noSuchKey(key);
    return { status: 200, body: aclXml(bucket.accountId, file.visibility === 'public' ? 'public-read' : 'private') };
  },
};
