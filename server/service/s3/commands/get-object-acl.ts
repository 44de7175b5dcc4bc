import { aclXml } from '../access/acl.js';
import { requireObject } from '../objects/require-target.js';
import type { Command } from '../command.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectAcl.html */
export const getObjectAcl: Command = {
  name: 'GetObjectAcl',
  method: 'GET',
  target: 'object',
  requiredQuery: ['acl'],
  access: 'read',
  async run(context) {
    const file = await requireObject(context);
    return { status: 200, body: aclXml(context.bucket.accountId, file.visibility === 'public' ? 'public-read' : 'private') };
  },
};
