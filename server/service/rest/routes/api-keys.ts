import { Type } from '@fastify/type-provider-typebox';
import { API_KEY } from '../../../../src/protocol/limits.js';
import { creatorOf } from '../../identity/creator-of-actor.js';
import { toKeyRecord } from '../../identity/keys/api-key.js';
import type { CreatedApiKey } from '../../identity/keys/api-key.js';
import { bareName, validateKey, validateKeyChanges } from '../../identity/keys/key-fields.js';
import type { KeyFields } from '../../identity/keys/key-fields.js';
import { keyNotFound } from '../../identity/keys/key-rows.js';
import { SCOPES } from '../../identity/scopes.js';
import type { App, RouteContext } from '../context.js';
import { nullable, response, Time } from '../openapi/schemas.js';

const access = { session: 'only' } as const;
const tags = ['API keys'];
const KEYS = '/v1/users/me/api-keys';
/** The longest overlap of a rotation in seconds: a day. */
const MAX_OVERLAP = 86_400;

const fields = {
  id: Type.String(),
  name: Type.String(),
  prefix: nullable(Type.String({ description: 'The first characters of the secret; empty for an older key without a prefix.' })),
  last4: nullable(Type.String({ description: 'The last characters of the secret.' })),
  scopes: Type.Array(Type.String()),
  allowed_ips: Type.Array(Type.String(), { description: 'Empty: any address.' }),
  created_at: Time,
  last_used_at: nullable(Type.String({ format: 'date-time', description: 'Accurate to five minutes; null if never used.' })),
};
const ApiKey = Type.Object(fields, { $id: 'ApiKey' });
const CreatedApiKey = Type.Object(
  { ...fields, api_key: Type.String({ description: 'The secret. Cannot be read again.' }) },
  { $id: 'CreatedApiKey' },
);
const chosenFields = {
  name: Type.String({ minLength: API_KEY.name.min, maxLength: API_KEY.name.max }),
  scopes: Type.Array(Type.String({ description: `One of ${SCOPES.join(', ')}.` }), { minItems: 1 }),
  allowed_ips: Type.Array(Type.String({ description: 'An IP address or a CIDR range.' }), { maxItems: API_KEY.allowedIps }),
};
const NewApiKey = Type.Object(
  { ...chosenFields, allowed_ips: Type.Optional(chosenFields.allowed_ips) },
  { additionalProperties: false },
);
const Changes = Type.Partial(Type.Object(chosenFields), { additionalProperties: false, minProperties: 1 });
const Rotation = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({ minimum: 0, maximum: MAX_OVERLAP, default: 0, description: 'How long the secret before stays valid.' }),
    ),
  },
  { additionalProperties: false },
);
// Ids of any length, so that an unknown one is always `API_KEY_NOT_FOUND`.
const params = Type.Object({ id: Type.String() });

/**
 * Reads the fields of a key before the schema is checked, so that invalid fields get the codes of keys. The name loses the prefix of OAuth clients,
 * with which it could be longer than the schema permits.
 */
function readFields(body: unknown): Partial<KeyFields> {
  if (typeof body !== 'object' || body === null) return {};
  const fields = body as Record<string, unknown>;
  if ('name' in fields) fields['name'] = bareName(fields['name']);
  const { name, scopes, allowed_ips: allowedIps } = fields;
  return { name, scopes, allowedIps };
}

const created = ({ secret, ...key }: CreatedApiKey) => ({ response: { ...toKeyRecord(key), api_key: secret } });

/** Routes for the API keys of the signed-in user. A key can never manage keys. */
export function apiKeyRoutes(app: App, context: RouteContext): void {
  listKeysRoute(app, context);
  createKeyRoute(app, context);
  changeKeyRoute(app, context);
  rotateKeyRoute(app, context);
  revokeKeyRoute(app, context);
  generateCliKeyRoute(app, context);
}

function listKeysRoute(app: App, { keys }: RouteContext): void {
  app.get(
    KEYS,
    { config: { access }, schema: { summary: 'List API keys', tags, response: { 200: response(Type.Array(ApiKey)) } } },
    async ({ actor }) => ({ response: (await keys.list(actor.storage.accountId, { active: true })).map(toKeyRecord) }),
  );
}

function createKeyRoute(app: App, { keys }: RouteContext): void {
  app.post(
    KEYS,
    {
      config: { access },
      schema: {
        summary: 'Create an API key',
        description: `An account has at most ${API_KEY.perAccount} keys.`,
        tags,
        body: NewApiKey,
        response: { 201: response(CreatedApiKey) },
      },
      preValidation: async (request) => {
        const { name, scopes, allowedIps } = readFields(request.body);
        validateKey({ name, scopes, allowedIps });
      },
    },
    async ({ actor, body }, reply) => {
      const { name, scopes, allowed_ips: allowedIps } = body;
      const key = await keys.create(actor.storage.accountId, { name, scopes, allowedIps, creator: creatorOf(actor) });
      return reply.code(201).header('Cache-Control', 'no-store').send(created(key));
    },
  );
}

function changeKeyRoute(app: App, { keys }: RouteContext): void {
  app.patch(
    `${KEYS}/:id`,
    {
      config: { access },
      schema: {
        summary: 'Change the name, the scopes or the allowed addresses of an API key',
        description: 'Takes effect with the next request, also for credentials that the key created. The secret stays.',
        tags,
        params,
        body: Changes,
        response: { 200: response(ApiKey) },
      },
      preValidation: async (request) => void validateKeyChanges(readFields(request.body)),
    },
    async ({ actor, params: { id }, body }) => {
      const key = await keys.change(actor.storage.accountId, id, readFields(body), creatorOf(actor));
      return { response: toKeyRecord(key) };
    },
  );
}

function rotateKeyRoute(app: App, { keys }: RouteContext): void {
  app.post(
    `${KEYS}/:id/rotate`,
    {
      config: { access },
      schema: {
        summary: 'Give an API key a new secret',
        description: 'The secret before stays valid for the overlap. A secret from an earlier rotation ends.',
        tags,
        params,
        body: Rotation,
        response: { 200: response(CreatedApiKey) },
      },
      preValidation: async (request) => void (request.body ??= {}),
    },
    async ({ actor, params: { id }, body }, reply) => {
      const options = { overlapSeconds: body.overlap_seconds ?? 0, creator: creatorOf(actor) };
      const key = await keys.rotate(actor.storage.accountId, id, options);
      return reply.header('Cache-Control', 'no-store').send(created(key));
    },
  );
}

function revokeKeyRoute(app: App, { keys }: RouteContext): void {
  app.delete(
    `${KEYS}/:id`,
    {
      config: { access },
      schema: {
        summary: 'Revoke an API key and everything that it created',
        tags,
        params,
        response: { 200: response(Type.Null()) },
      },
    },
    async ({ actor, params: { id } }) => {
      if (!(await keys.revoke(actor.storage.accountId, id, creatorOf(actor)))) throw keyNotFound(id);
      return { response: null };
    },
  );
}

function generateCliKeyRoute(app: App, { keys }: RouteContext): void {
  app.post(
    '/v1/users/me/generate-api-key',
    {
      config: { access },
      schema: {
        summary: 'Create the API key named CLI with every scope, or give it a new secret',
        tags,
        response: { 200: response(CreatedApiKey), 201: response(CreatedApiKey) },
      },
    },
    async ({ actor }, reply) => {
      const { key, isNew } = await keys.generateCliKey(actor.storage.accountId, creatorOf(actor));
      return reply
        .code(isNew ? 201 : 200)
        .header('Cache-Control', 'no-store')
        .send(created(key));
    },
  );
}
