import { Type } from '@fastify/type-provider-typebox';
import { BlobError } from '../../../../src/protocol/errors.js';
import { S3_CREDENTIAL } from '../../../../src/protocol/limits.js';
import { creatorOf } from '../../identity/creator-of-actor.js';
import { requireScope } from '../../identity/authorize.js';
import type { S3CredentialRecord } from '../../identity/s3-credentials.js';
import type { App, RouteContext } from '../context.js';
import { nullable, response, Time, WorkspaceQuery } from '../openapi/schemas.js';

const querystring = Type.Object(WorkspaceQuery, { additionalProperties: false });
const fields = {
  access_key_id: Type.String(),
  name: Type.String(),
  read_only: Type.Boolean(),
  prefix: nullable(Type.String({ description: 'The only folder that the key pair may access; null for all buckets.' })),
  expires_at: nullable(Time),
  created_at: Time,
};
const S3Credential = Type.Object(fields, { $id: 'S3Credential' });
const CreatedS3Credential = Type.Object(
  { ...fields, secret_access_key: Type.String({ description: 'Cannot be read again.' }) },
  { $id: 'CreatedS3Credential' },
);
const KeyPairOptions = Type.Object(
  {
    name: Type.Optional(Type.String({ maxLength: 40 })),
    read_only: Type.Optional(Type.Boolean({ default: false })),
    prefix: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 1024 }))),
    expires_in: Type.Optional(
      nullable(
        Type.Integer({
          minimum: S3_CREDENTIAL.expiresIn.min,
          maximum: S3_CREDENTIAL.expiresIn.max,
          description: 'Seconds; null: it never expires.',
        }),
      ),
    ),
  },
  { additionalProperties: false },
);

const json = (record: S3CredentialRecord) => ({
  access_key_id: record.id,
  name: record.name,
  read_only: record.readOnly,
  prefix: record.prefix,
  expires_at: record.expiresAt === null ? null : new Date(record.expiresAt).toISOString(),
  created_at: new Date(record.createdAt).toISOString(),
});

const documentation = (summary: string) => ({ summary, tags: ['S3 credentials'], querystring });

/** Routes for key pairs of the S3 endpoint. */
export function s3CredentialRoutes(app: App, context: RouteContext): void {
  listKeyPairsRoute(app, context);
  createKeyPairRoute(app, context);
  revokeKeyPairRoute(app, context);
}

function listKeyPairsRoute(app: App, context: RouteContext): void {
  app.get(
    '/v1/s3-credentials',
    {
      config: { access: { scope: 'blob:read' } },
      schema: {
        ...documentation('List S3 key pairs, and read the address of the storage over S3'),
        response: {
          200: response(
            Type.Object({
              s3_credentials: Type.Array(S3Credential),
              bucket: Type.String({ description: 'The bucket whose objects are the files of this storage.' }),
              endpoint: nullable(
                Type.String({ description: 'The address of the S3 endpoint; null if the service does not know it.' }),
              ),
            }),
          ),
        },
      },
    },
    async (request) => {
      const { accountId } = request.actor.storage;
      const s3_credentials = (await context.s3Credentials.list(accountId)).map(json);
      // The main bucket of an account has the name of the account.
      return { response: { s3_credentials, bucket: accountId, endpoint: context.s3Url(request) } };
    },
  );
}

function createKeyPairRoute(app: App, { s3Credentials }: RouteContext): void {
  app.post(
    '/v1/s3-credentials',
    {
      config: { access: { scope: 'blob:write' } },
      schema: {
        ...documentation('Create an S3 key pair'),
        description:
          'Also requires blob:read. The key pair has at most the rights of the API key that creates it, and ends with that key.',
        body: KeyPairOptions,
        response: { 201: response(CreatedS3Credential) },
      },
      // Without a body, all options have their defaults.
      preValidation: async (request) => void (request.body ??= {}),
    },
    async (request, reply) => {
      const { name, read_only: readOnly, prefix, expires_in: expiresIn } = request.body;
      // Key pairs can read. The scope of the route covers writing.
      requireScope(request.actor, 'blob:read');
      const { secret, ...record } = await s3Credentials.create(request.actor.storage.accountId, {
        creator: creatorOf(request.actor),
        ...(name !== undefined && { name }),
        ...(readOnly !== undefined && { readOnly }),
        ...(prefix !== undefined && { prefix }),
        ...(expiresIn !== undefined && { expiresIn }),
      });
      return reply
        .code(201)
        .header('Cache-Control', 'no-store')
        .send({ response: { ...json(record), secret_access_key: secret } });
    },
  );
}

function revokeKeyPairRoute(app: App, { s3Credentials }: RouteContext): void {
  app.delete(
    '/v1/s3-credentials/:access_key_id',
    {
      config: { access: { scope: 'blob:write' } },
      schema: {
        ...documentation('Revoke an S3 key pair'),
        params: Type.Object({ access_key_id: Type.String({ minLength: 1, maxLength: 64 }) }),
        response: { 200: response(Type.Null()) },
      },
    },
    async (request) => {
      const { access_key_id: id } = request.params;
      const { actor } = request;
      if (!(await s3Credentials.delete(actor.storage.accountId, id, creatorOf(actor))))
        throw new BlobError('NOT_FOUND', `There is no S3 key pair ${id}.`, { details: { access_key_id: id } });
      return { response: null };
    },
  );
}
