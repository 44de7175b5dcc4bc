import { planRead } from '../read-object.js';
import type { Command } from '../service.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html */
export const getObject: Command = {
  name: 'GetObject',
  method: 'GET',
  on: 'object',
  also: ['partNumber'],
  access: 'read',
  anyone: true,
  async run(call) {
    const { opened, status, headers, range } = await planRead(call);
    return { status, headers, body: await opened.read(range, call.signal) };
  },
};
