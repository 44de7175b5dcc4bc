import { entityTags } from '../wire/conditions.js';
import type { Command } from '../service.js';
import { noSuchKey } from '../read-object.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObject.html What is not there is as good as deleted. */
export const deleteObject: Command = {
  name: 'DeleteObject',
  method: 'DELETE',
  on: 'object',
  access: 'write',
  async run({ service, request, storage, key }) {
    const ifMatch = request.headers.get('if-match');
    if (ifMatch === undefined) await service.blobs.delete(storage, key);
    else if (!(await service.blobs.delete(storage, key, { ifMatch: entityTags(ifMatch)[0] ?? '' }))) throw noSuchKey(key);
    return { status: 204 };
  },
};
