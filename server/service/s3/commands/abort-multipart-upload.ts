import type { Command } from '../service.js';
import { noSuchUpload, requireUpload } from '../uploads.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_AbortMultipartUpload.html */
export const abortMultipartUpload: Command = {
  name: 'AbortMultipartUpload',
  method: 'DELETE',
  on: 'object',
  query: ['uploadId'],
  access: 'write',
  async run(call) {
    // A completion that came first has won: its object stays, and the client has to know.
    if (!(await call.service.blobs.abortUpload(await requireUpload(call)))) throw noSuchUpload(call);
    return { status: 204 };
  },
};
