import { noSuchKey } from '../read-object.js';
import type { Command } from '../service.js';
import { readSmall } from '../messages/body-checks.js';
import { tagsFromXml } from '../messages/tags.js';

const MAX_BODY = 64 * 1024;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectTagging.html */
export const putObjectTagging: Command = {
  name: 'PutObjectTagging',
  method: 'PUT',
  on: 'object',
  query: ['tagging'],
  access: 'write',
  async run({ service, request, storage, key, payload }) {
    const tags = tagsFromXml(await readSmall(request, payload(), MAX_BODY));
    const file = await service.blobs.get(storage, key);
    if (!file) throw noSuchKey(key);
    await service.blobs.update(storage, file.id, { tags });
    return { status: 200 };
  },
};
