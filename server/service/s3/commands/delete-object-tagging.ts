import { requireObject } from '../objects/require-target.js';
import type { Command } from '../command.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjectTagging.html */
export const deleteObjectTagging: Command = {
  name: 'DeleteObjectTagging',
  method: 'DELETE',
  target: 'object',
  requiredQuery: ['tagging'],
  access: 'write',
  async run(context) {
    const { service, storage } = context;
    const file = await requireObject(context);
    await service.blobs.update(storage, file.id, { tags: {} });
    return { status: 204 };
  },
};
