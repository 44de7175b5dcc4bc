import { UNSCANNED_CACHE_CONTROL } from '../../http/cache-control.js';
import { prepareRead } from '../objects/read-object.js';
import type { Command } from '../command.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html */
export const getObject: Command = {
  name: 'GetObject',
  method: 'GET',
  target: 'object',
  optionalQuery: ['partNumber'],
  access: 'read',
  allowsAnonymous: true,
  async run(context) {
    const { opened, status, headers, range } = await prepareRead(context);
    const unscanned = opened.file.scan === 'pending' && { 'cache-control': UNSCANNED_CACHE_CONTROL };
    return { status, headers: { ...headers, ...unscanned }, body: await opened.read(range, context.signal) };
  },
};
