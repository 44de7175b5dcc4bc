import { noSuchKey } from '../read-object.js';
import type { Command } from '../service.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjectTagging.html */
export const deleteObjectTagging: Command = {
  name: 'DeleteObjectTagging',
  method: 'DELETE',
  on: 'object',
  query: ['tagging'],
  access: 'write',
  async run({ service, storage, key }) {
    const file = await service.blobs.get(storage, key);
    if (!file) throw noSuchKey(key);
    await service.blobs.update(storage, file.id, { tags: {} });
    return { status: 204 };
  },
};
