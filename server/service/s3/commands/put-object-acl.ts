import { requestedAcl } from '../access/acl.js';
import { noSuchKey } from '../read-object.js';
import type { Command } from '../service.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectAcl.html */
export const putObjectAcl: Command = {
  name: 'PutObjectAcl',
  method: 'PUT',
  on: 'object',
  query: ['acl'],
  access: 'write',
  alsoReads: true,
  async run(call) {
    const { service, storage, key } = call;
    const acl = await requestedAcl(call);
    const file = await service.blobs.get(storage, key);
    if (!file) throw noSuchKey(key);
    await service.blobs.update(storage, file.id, { visibility: acl === 'public-read' ? 'public' : 'private' });
    return { status: 200 };
  },
};
