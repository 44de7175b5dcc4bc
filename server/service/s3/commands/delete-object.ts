import { deleteKey } from '../objects/delete-key.js';
import type { Command } from '../command.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObject.html */
export const deleteObject: Command = {
  name: 'DeleteObject',
  method: 'DELETE',
  target: 'object',
  access: 'write',
  async run({ service, request, storage, key }) {
    await deleteKey(service, storage, key, {
      etag: request.headers.get('if-match'),
      size: request.headers.get('x-amz-if-match-size'),
      modified: request.headers.get('x-amz-if-match-last-modified-time'),
    });
    return { status: 204 };
  },
};
