import { Type } from '@fastify/type-provider-typebox';
import { IMAGE, PATH, UPLOAD_TOKEN } from '../../../../src/protocol/limits.js';
import { isWithin } from '../../../../src/protocol/paths.js';
import { requireScope } from '../../identity/authorize.js';
import type { Actor } from '../../identity/authenticate.js';
import { creatorOf } from '../../identity/creator-of-actor.js';
import type { Rules } from '../../sharing/rules.js';
import type { App, RouteContext } from '../context.js';
import { IdParams, nullable, response, Time, Visibility, WorkspaceQuery } from '../openapi/schemas.js';

const read = { access: { scope: 'blob:read' } } as const;
const write = { access: { scope: 'blob:write' } } as const;
const querystring = Type.Object(WorkspaceQuery, { additionalProperties: false });

const fields = {
  prefix: Type.String({ maxLength: PATH.maxBytes, description: 'The folder; empty for all files.' }),
  max_size: nullable(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Bytes.' })),
  allowed_extensions: nullable(
    Type.Array(Type.String({ minLength: 1, maxLength: 32 }), {
      minItems: UPLOAD_TOKEN.allowedExtensions.min,
      maxItems: UPLOAD_TOKEN.allowedExtensions.max,
    }),
  ),
  visibility: nullable(Visibility),
  cache_control: nullable(Type.String({ minLength: 1, maxLength: 1024 })),
  expires_after: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 10 * 366 * 86_400,
      description: 'Seconds after which files without an expiry are deleted.',
    }),
  ),
  image_sizes: nullable(
    Type.Array(Type.String({ minLength: 2, maxLength: 9 }), {
      minItems: 1,
      maxItems: IMAGE.sizesOfRule,
      description: 'Sizes of resized images that everyone may request: `400x300`, `400x` or `x300`.',
    }),
  ),
};
const Rule = Type.Object({ id: Type.String(), ...fields, created_at: Time }, { $id: 'Rule' });
const Changes = Type.Partial(Type.Object(fields), { additionalProperties: false, minProperties: 1 });
const Created = Type.Object(
  { ...Changes.properties, prefix: Type.Optional(fields.prefix) },
  { additionalProperties: false, minProperties: 1 },
);

/** A key without blob:read could otherwise read new files by making them public. */
const PUBLIC_NEEDS_READ = 'A rule that makes files public also requires blob:read.';
const UNCOVER_NEEDS_READ =
  'Also requires blob:read if the rule of an outer folder makes files public and would then apply to this folder.';

const documentation = (summary: string) => ({ summary, tags: ['rules'], querystring });

/** Defaults and limits of folders. They apply to all uploads, over REST and S3. */
export function ruleRoutes(app: App, context: RouteContext): void {
  listRulesRoute(app, context);
  createRuleRoute(app, context);
  readRuleRoute(app, context);
  changeRuleRoute(app, context);
  deleteRuleRoute(app, context);
}

function listRulesRoute(app: App, { rules }: RouteContext): void {
  app.get(
    '/v1/rules',
    {
      config: read,
      schema: { ...documentation('List rules'), response: { 200: response(Type.Object({ rules: Type.Array(Rule) })) } },
    },
    async (request) => ({ response: { rules: await rules.list(request.actor.storage) } }),
  );
}

function createRuleRoute(app: App, { rules }: RouteContext): void {
  app.post(
    '/v1/rules',
    {
      config: write,
      schema: {
        ...documentation('Create a rule'),
        description: PUBLIC_NEEDS_READ,
        body: Created,
        response: { 201: response(Rule) },
      },
    },
    async (request, reply) => {
      if (request.body.visibility === 'public') requireScope(request.actor, 'blob:read');
      return reply
        .code(201)
        .send({ response: await rules.create(request.actor.storage, creatorOf(request.actor), request.body) });
    },
  );
}

function readRuleRoute(app: App, { rules }: RouteContext): void {
  app.get(
    '/v1/rules/:id',
    { config: read, schema: { ...documentation('Read a rule'), params: IdParams, response: { 200: response(Rule) } } },
    async (request) => ({ response: await rules.get(request.actor.storage, request.params.id) }),
  );
}

function changeRuleRoute(app: App, { rules }: RouteContext): void {
  app.patch(
    '/v1/rules/:id',
    {
      config: write,
      schema: {
        ...documentation('Change a rule'),
        description: `${PUBLIC_NEEDS_READ} So does a new prefix if the rule of an outer folder makes files public.`,
        params: IdParams,
        body: Changes,
        response: { 200: response(Rule) },
      },
    },
    async ({ actor, params: { id }, body }) => {
      const { visibility = (await rules.get(actor.storage, id)).visibility } = body;
      if (visibility === 'public') requireScope(actor, 'blob:read');
      if (body.prefix !== undefined) await assertMayUncover(rules, actor, id);
      return { response: await rules.change(actor.storage, id, creatorOf(actor), body) };
    },
  );
}

function deleteRuleRoute(app: App, { rules }: RouteContext): void {
  app.delete(
    '/v1/rules/:id',
    {
      config: write,
      schema: {
        ...documentation('Delete a rule'),
        description: UNCOVER_NEEDS_READ,
        params: IdParams,
        response: { 200: response(Type.Null()) },
      },
    },
    async (request) => {
      await assertMayUncover(rules, request.actor, request.params.id);
      await rules.delete(request.actor.storage, request.params.id, creatorOf(request.actor));
      return { response: null };
    },
  );
}

/**
 * Authorizes a change after which the rules of outer folders apply to the folder of a rule.
 * @throws `API_KEY_SCOPE_DENIED` if an outer rule makes files public and the key may not read.
 */
async function assertMayUncover(rules: Rules, actor: Actor, id: string): Promise<void> {
  const all = await rules.list(actor.storage);
  const prefix = all.find((rule) => rule.id === id)?.prefix;
  if (prefix === undefined) return;
  const isOuter = (other: string) => other !== prefix && (other === '' || isWithin(prefix, other));
  if (all.some((rule) => rule.visibility === 'public' && isOuter(rule.prefix))) requireScope(actor, 'blob:read');
}
