import { planRead } from '../read-object.js';
import type { Command } from '../service.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html */
export const headObject: Command = {
  name: 'HeadObject',
  method: 'HEAD',
  on: 'object',
  also: ['partNumber'],
  access: 'read',
  anyone: true,
  async run(call) {
    const { status, headers } = await planRead(call);
    return { status, headers };
  },
};
