import { noSuchKey } from '../read-object.js';
import type { Command } from '../service.js';
import { tagsXml } from '../messages/tags.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectTagging.html */
export const getObjectTagging: Command = {
  name: 'GetObjectTagging',
  method: 'GET',
  on: 'object',
  query: ['tagging'],
  access: 'read',
  async run({ service, storage, key }) {
    const file = await service.blobs.get(storage, key);
    if (!file) throw noSuchKey(key);
    return { status: 200, body: tagsXml(file.tags) };
  },
};
