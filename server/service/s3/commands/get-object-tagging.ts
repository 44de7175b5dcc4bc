import { noSuchKey } from '../read-object.js';
import type { Command } from '../service.js';
import { xmlDocument } from '../xml/write.js';

const byName = ([a]: [string, string], [b]: [string, string]) => (a < b ? -1 : 1);

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
    const tags = Object.entries(file.tags)
      .sort(byName)
      .map(([Key, Value]) => ({ Key, Value }));
    return { status: 200, body: xmlDocument('Tagging', { TagSet: { Tag: tags } }) };
  },
};
