import type { Command } from '../service.js';
import { bodyChecks } from '../messages/body-checks.js';
import { writeConditions } from '../messages/conditions.js';
import { checksumHeaders, quoted } from '../messages/object-headers.js';
import { objectProperties } from '../messages/properties.js';
import { MAX_PUT } from '../messages/sizes.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html */
export const putObject: Command = {
  name: 'PutObject',
  method: 'PUT',
  on: 'object',
  access: 'write',
  async run({ service, request, grant, storage, key, payload, signal }) {
    const properties = objectProperties(request);
    const conditions = writeConditions(request);
    const body = payload();
    const { hashers, check } = bodyChecks(request, body);
    const { file } = await service.blobs.put(storage, key, body.chunks, {
      ...properties,
      ...conditions,
      credential: { kind: 's3', id: grant.id },
      ...(body.size !== undefined && { size: body.size }),
      maxSize: MAX_PUT,
      hashers,
      check,
      signal,
    });
    return { status: 200, headers: { etag: quoted(file.etag), ...checksumHeaders(file) } };
  },
};
