import { createHash } from 'node:crypto';
import { Type } from '@fastify/type-provider-typebox';
import type { Static } from '@fastify/type-provider-typebox';
import { FETCH, FILE, PATH } from '../../../../src/protocol/limits.js';
import type { OutboundClient } from '../../outbound/outbound-client.js';
import { MAX_URL_LENGTH } from '../../outbound/parse-url.js';
import { parseUrlField } from '../../outbound/parse-url-field.js';
import { fileOptionFields, Metadata } from '../openapi/schemas.js';
import type { UploadFields } from '../upload/upload-fields.js';

/** The body of `POST /v1/files/fetch`. */
export const FetchBody = Type.Object(
  {
    url: Type.String({ minLength: 1, maxLength: MAX_URL_LENGTH, description: 'http or https, on the public internet.' }),
    path: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: PATH.maxBytes,
        description: 'The path of the file. Cannot be combined with prefix.',
      }),
    ),
    prefix: Type.Optional(
      Type.String({
        maxLength: PATH.maxBytes,
        description: 'The folder of the file. Its name is that of the response or of the URL.',
      }),
    ),
    ...fileOptionFields,
    metadata: Type.Optional(Metadata),
    overwrite: Type.Optional(Type.Boolean({ default: false, description: 'Whether to replace an existing file.' })),
    max_size: Type.Optional(Type.Integer({ minimum: 0, maximum: FILE.maxBytes, description: 'Bytes.' })),
    allowed_types: Type.Optional(
      Type.Array(Type.String({ pattern: '^[A-Za-z0-9!#$&^_.+-]{1,127}/([A-Za-z0-9!#$&^_.+-]{1,127}|[*])$' }), {
        minItems: 1,
        maxItems: FETCH.allowedTypes,
        description: 'Content types of the response, such as image/png or image/*.',
      }),
    ),
    timeout: Type.Optional(
      Type.Integer({
        minimum: FETCH.timeout.min,
        maximum: FETCH.timeout.max,
        default: FETCH.timeout.max,
        description: 'Seconds.',
      }),
    ),
  },
  { additionalProperties: false, $id: 'FetchRequest' },
);

/** A validated fetch. */
export interface FetchRequest {
  url: URL;
  fields: UploadFields;
  types: readonly string[] | undefined;
  maxSize: number | undefined;
  timeoutSeconds: number;
  /** Name of the request, the same in a repeat with its idempotency key. */
  idempotencyName: string;
}

/** Parses the request for a URL. The target is validated later, see `uploadTarget`. @throws `VALIDATION_ERROR` */
export function parseFetchRequest(body: Static<typeof FetchBody>, outbound: OutboundClient): FetchRequest {
  const { url, metadata, max_size, allowed_types, timeout = FETCH.timeout.max, ...fields } = body;
  const { path, prefix } = fields;
  return {
    url: parseUrlField(url, outbound),
    fields: { ...fields, ...(metadata && { metadata: JSON.stringify(metadata) }) },
    types: allowed_types,
    maxSize: max_size,
    timeoutSeconds: timeout,
    // A hash, because URLs may contain secrets.
    idempotencyName: createHash('sha256').update(JSON.stringify({ url, path, prefix })).digest('hex'),
  };
}
