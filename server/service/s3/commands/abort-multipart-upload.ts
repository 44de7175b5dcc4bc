import type { Command } from '../command.js';
import { noSuchUpload, requireUpload } from '../multipart/uploads.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_AbortMultipartUpload.html */
export const abortMultipartUpload: Command = {
  name: 'AbortMultipartUpload',
  method: 'DELETE',
  target: 'object',
  requiredQuery: ['uploadId'],
  access: 'write',
  async run(context) {
    const upload = await requireUpload(context);
    const isAborted = await context.service.blobs.abortUpload(upload);
    // A completion was faster, so its object remains.
    if (!isAborted) throw noSuchUpload(context);
    return { status: 204 };
  },
};
