import { Type } from '@fastify/type-provider-typebox';
import type { TSchema } from '@fastify/type-provider-typebox';
import { LIST, METADATA, PATH, UPLOAD_TOKEN } from '../../../../src/protocol/limits.js';

// These schemas validate requests, serialize responses, and describe both in the OpenAPI document.

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
export const response = <T extends TSchema>(schema: T) => Type.Object({ response: schema });
export const Time = Type.String({ format: 'date-time', description: 'ISO 8601, UTC' });
export const Visibility = Type.Union([Type.Literal('public'), Type.Literal('private')]);
export const Metadata = Type.Record(Type.String(), Type.String(), {
  maxProperties: METADATA.maxEntries,
  description: 'Custom keys (lower case) and values.',
});

export const File = Type.Object(
  {
    id: Type.String(),
    path: Type.String(),
    name: Type.String(),
    size: Type.Integer({ description: 'Bytes.' }),
    content_type: Type.String(),
    visibility: Visibility,
    url: nullable(Type.String({ description: 'The public URL; null for a private file.' })),
    cache_control: nullable(Type.String()),
    content_disposition: nullable(Type.String()),
    expires_at: nullable(Time),
    metadata: Type.Record(Type.String(), Type.String()),
    etag: Type.String(),
    sha256: Type.String({ description: 'Hex.' }),
    created_at: Time,
    updated_at: Time,
    scan: Type.Optional(
      Type.Union([Type.Literal('pending'), Type.Literal('clean'), Type.Literal('infected'), Type.Literal('too_large')], {
        description:
          'The state of the virus scan. Only clean files are delivered. Absent if the file was stored while the service did not scan.',
      }),
    ),
    scan_signature: Type.Optional(Type.String({ description: 'What the scanner found in an infected file.' })),
  },
  { $id: 'File' },
);

/** Options of a new file, as query parameters, form fields or JSON. */
export const fileOptionFields = {
  visibility: Type.Optional(Visibility),
  cache_control: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
  content_disposition: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
  expires_at: Type.Optional(Type.String({ description: 'The time at which the file is deleted: ISO 8601, in the future.' })),
};

export const UploadTokenRequest = Type.Object(
  {
    path: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: PATH.maxBytes,
        description: 'The only path that the token may upload to. Cannot be combined with prefix.',
      }),
    ),
    prefix: Type.Optional(
      Type.String({
        maxLength: PATH.maxBytes,
        description: 'The only folder that the token may upload to. Cannot be combined with path.',
      }),
    ),
    ...fileOptionFields,
    metadata: Type.Optional(Metadata),
    max_size: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Bytes.' })),
    allowed_extensions: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 32 }), {
        minItems: UPLOAD_TOKEN.allowedExtensions.min,
        maxItems: UPLOAD_TOKEN.allowedExtensions.max,
      }),
    ),
    overwrite: Type.Optional(Type.Boolean({ default: false })),
    allow_fetch: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether the token may be used with /v1/files/fetch as well.' }),
    ),
    allow_delete: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether the token may delete the files that it stored.' }),
    ),
    expires_in: Type.Optional(
      Type.Integer({
        minimum: UPLOAD_TOKEN.expiresIn.min,
        maximum: UPLOAD_TOKEN.expiresIn.max,
        default: UPLOAD_TOKEN.expiresIn.default,
        description: 'Seconds.',
      }),
    ),
    max_uses: Type.Optional(
      Type.Integer({
        minimum: UPLOAD_TOKEN.maxUses.min,
        maximum: UPLOAD_TOKEN.maxUses.max,
        default: UPLOAD_TOKEN.maxUses.default,
      }),
    ),
  },
  { additionalProperties: false, $id: 'UploadTokenRequest' },
);

const uploadTokenFields = {
  id: Type.String(),
  path: nullable(Type.String()),
  prefix: nullable(Type.String()),
  visibility: nullable(Visibility),
  cache_control: nullable(Type.String()),
  content_disposition: nullable(Type.String()),
  file_expires_at: nullable(Time),
  metadata: nullable(Type.Record(Type.String(), Type.String())),
  max_size: nullable(Type.Integer()),
  allowed_extensions: nullable(Type.Array(Type.String())),
  overwrite: Type.Boolean(),
  allow_fetch: Type.Boolean(),
  allow_delete: Type.Boolean(),
  max_uses: Type.Integer(),
  uses: Type.Integer(),
  expires_at: Time,
  created_at: Time,
  revoked_at: nullable(Time),
};

export const UploadToken = Type.Object(uploadTokenFields, { $id: 'UploadToken' });
export const CreatedUploadToken = Type.Object(
  { ...uploadTokenFields, token: Type.String({ description: 'Cannot be read again.' }) },
  { $id: 'CreatedUploadToken' },
);
export const UploadTokenSelf = Type.Object(
  {
    path: nullable(Type.String()),
    prefix: nullable(Type.String()),
    max_size: nullable(Type.Integer()),
    allowed_extensions: nullable(Type.Array(Type.String())),
    allow_fetch: Type.Boolean(),
    allow_delete: Type.Boolean(),
    max_uses: Type.Integer(),
    uses: Type.Integer(),
    uses_left: Type.Integer(),
    expires_at: Time,
  },
  { $id: 'UploadTokenSelf' },
);

export const Stats = Type.Object(
  {
    files: Type.Integer(),
    bytes: Type.Integer(),
    quota_bytes: nullable(Type.Integer()),
    public_files: Type.Integer(),
    private_files: Type.Integer(),
    uploads_in_progress: Type.Integer(),
    upload_tokens_active: Type.Integer(),
  },
  { $id: 'Stats' },
);

export const WorkspaceQuery = {
  workspace_id: Type.Optional(Type.String({ description: 'Uses the storage of the owner of this workspace.' })),
};
export const limitField = Type.Optional(
  Type.Integer({ minimum: LIST.limit.min, maximum: LIST.limit.max, default: LIST.limit.default }),
);
export const IdParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) });
