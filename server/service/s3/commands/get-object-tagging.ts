import { requireObject } from '../objects/require-target.js';
import type { Command } from '../command.js';
import { tagsXml } from '../messages/tags.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectTagging.html */
export const getObjectTagging: Command = {
  name: 'GetObjectTagging',
  method: 'GET',
  target: 'object',
  requiredQuery: ['tagging'],
  access: 'read',
  async run(context) {
    const file = await requireObject(context);
    return { status: 200, body: tagsXml(file.tags) };
  },
};
