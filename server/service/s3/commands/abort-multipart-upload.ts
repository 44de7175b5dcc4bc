import type { Command } from '../service.js';
import { requireUpload } from '../uploads.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_AbortMultipartUpload.html */
export const abortMultipartUpload: Command = {
  name: 'AbortMultipartUpload',
  method: 'DELETE',
  on: 'object',
  query: ['uploadId'],
  access: 'write',
  async run(call) {
    await call.service.blobs.abortUpload(await requireUpload(call));
    return { status: 204 };
  },
};
