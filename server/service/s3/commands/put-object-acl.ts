import { readRequestedAcl } from '../access/acl.js';
import { requireObject } from '../objects/require-target.js';
import type { Command } from '../command.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectAcl.html */
export const putObjectAcl: Command = {
  name: 'PutObjectAcl',
  method: 'PUT',
  target: 'object',
  requiredQuery: ['acl'],
  access: 'write',
  alsoReadsData: true,
  async run(context) {
    const { service, storage } = context;
    const acl = await readRequestedAcl(context);
    const file = await requireObject(context);
    await service.blobs.update(storage, file.id, { visibility: acl === 'public-read' ? 'public' : 'private' });
    return { status: 200 };
  },
};
