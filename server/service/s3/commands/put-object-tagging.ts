import { requireObject } from '../objects/require-target.js';
import type { Command } from '../command.js';
import { readSmallBody } from '../body/read-small-body.js';
import { tagsFromXml } from '../messages/tags.js';

const MAX_BODY = 64 * 1024;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectTagging.html */
export const putObjectTagging: Command = {
  name: 'PutObjectTagging',
  method: 'PUT',
  target: 'object',
  requiredQuery: ['tagging'],
  access: 'write',
  async run(context) {
    const { service, request, storage, payload } = context;
    const tags = tagsFromXml(await readSmallBody(request, payload(), MAX_BODY));
    const file = await requireObject(context);
    await service.blobs.update(storage, file.id, { tags });
    return { status: 200 };
  },
};
