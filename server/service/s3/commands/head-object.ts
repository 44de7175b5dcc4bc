import { prepareRead } from '../objects/read-object.js';
import type { Command } from '../command.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html */
export const headObject: Command = {
  name: 'HeadObject',
  method: 'HEAD',
  target: 'object',
  optionalQuery: ['partNumber'],
  access: 'read',
  allowsAnonymous: true,
  async run(context) {
    const { status, headers } = await prepareRead(context);
    return { status, headers };
  },
};
