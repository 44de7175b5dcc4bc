import type { Command } from '../command.js';
import { digestChecks } from '../body/digest-checks.js';
import { writeConditions } from '../messages/conditions.js';
import { checksumHeaders, quoteEtag } from '../messages/object-headers.js';
import { objectProperties } from '../messages/object-properties.js';
import { MAX_PUT_BYTES } from '../messages/limits.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html */
export const putObject: Command = {
  name: 'PutObject',
  method: 'PUT',
  target: 'object',
  access: 'write',
  async run({ service, request, grant, storage, key, payload, signal }) {
    const properties = objectProperties(request);
    const conditions = writeConditions(request);
    const body = payload();
    const { hashers, check } = digestChecks(request, body);
    const { file } = await service.blobs.put(storage, key, body.chunks, {
      ...properties,
      ...conditions,
      credential: { kind: 's3', id: grant.id },
      ...(body.size !== undefined && { size: body.size }),
      maxSize: MAX_PUT_BYTES,
      hashers,
      check,
      signal,
    });
    return { status: 200, headers: { etag: quoteEtag(file.etag), ...checksumHeaders(file) } };
  },
};
