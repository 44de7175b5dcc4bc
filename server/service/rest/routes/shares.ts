import { Type } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { FILE, LIST, PATH } from '../../../../src/protocol/limits.js';
import { creatorOf } from '../../identity/creator-of-actor.js';
import { requireScope } from '../../identity/authorize.js';
import { formatTime } from '../../../../src/protocol/time.js';
import type { App, RouteContext } from '../context.js';
import { IdParams, limitField, nullable, response, Time, WorkspaceQuery } from '../openapi/schemas.js';
import type { Share as StoredShare } from '../../sharing/shares.js';
import { MAX_TITLE } from '../../sharing/share-title.js';

const read = { access: { scope: 'blob:read' } } as const;
const write = { access: { scope: 'blob:write' } } as const;
const querystring = Type.Object(WorkspaceQuery, { additionalProperties: false });

const Mode = Type.Union([Type.Literal('read'), Type.Literal('upload')], {
  description: '`read`: visitors read files. `upload`: visitors upload into the folder and see nothing of it.',
});

const Share = Type.Object(
  {
    id: Type.String(),
    path: nullable(Type.String()),
    prefix: nullable(Type.String()),
    url: Type.String({ description: 'Anyone with this URL, and the password if there is one, may read the share.' }),
    has_password: Type.Boolean(),
    expires_at: nullable(Time),
    max_downloads: nullable(Type.Integer()),
    downloads: Type.Integer(),
    mode: Mode,
    max_size: nullable(Type.Integer()),
    allowed_extensions: nullable(Type.Array(Type.String())),
    max_files: nullable(Type.Integer()),
    files_received: Type.Integer({ description: 'Files that visitors have uploaded, with those on their way.' }),
    title: nullable(Type.String()),
    accent: nullable(Type.String()),
    created_at: Time,
  },
  { $id: 'Share' },
);
const changeable = {
  password: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 200, description: 'null removes the password.' }))),
  expires_at: Type.Optional(nullable(Type.String({ description: 'ISO 8601, in the future; null: it never expires.' }))),
  max_downloads: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 2_147_483_647 }))),
  max_size: Type.Optional(
    nullable(Type.Integer({ minimum: 1, maximum: FILE.maxBytes, description: 'Bytes of the largest file. Only for uploads.' })),
  ),
  allowed_extensions: Type.Optional(
    nullable(
      Type.Array(Type.String({ maxLength: 20 }), { minItems: 1, maxItems: 20, description: 'Such as "jpg". Only for uploads.' }),
    ),
  ),
  max_files: Type.Optional(
    nullable(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Files that visitors may upload in all.' })),
  ),
  title: Type.Optional(
    nullable(Type.String({ maxLength: MAX_TITLE, description: 'Heading of the pages; null: the name of the file or folder.' })),
  ),
  accent: Type.Optional(
    nullable(
      Type.String({
        pattern: '^#[0-9a-fA-F]{6}$',
        description: 'Color of the pages as `#rrggbb`. Light and dark pages adapt it until texts are readable.',
      }),
    ),
  ),
};
const Path = Type.Optional(Type.String({ minLength: 1, maxLength: PATH.maxBytes }));
const Prefix = Type.Optional(
  Type.String({ maxLength: PATH.maxBytes, description: 'A folder. With the mode `upload`, "" is the whole storage.' }),
);
const Created = Type.Object(
  { path: Path, prefix: Prefix, mode: Type.Optional(Mode), ...changeable },
  { additionalProperties: false },
);
const Changes = Type.Object(changeable, { additionalProperties: false, minProperties: 1 });

const documentation = (summary: string) => ({ summary, tags: ['shares'], querystring });

const shareJson = (context: RouteContext, request: FastifyRequest, share: StoredShare) => ({
  id: share.id,
  path: share.path,
  prefix: share.prefix,
  url: `${context.contentUrl(request)}/s/${share.id}${share.prefix === null || share.mode === 'upload' ? '' : '/'}`,
  has_password: share.hasPassword,
  expires_at: share.expiresAt === null ? null : formatTime(share.expiresAt),
  max_downloads: share.maxDownloads,
  downloads: share.downloads,
  mode: share.mode,
  max_size: share.maxSize,
  allowed_extensions: share.allowedExtensions,
  max_files: share.maxFiles,
  files_received: share.filesReceived,
  title: share.title,
  accent: share.accent,
  created_at: new Date(share.createdAt).toISOString(),
});

/** Routes for shares. `shared-files.ts` serves their files. */
export function shareRoutes(app: App, context: RouteContext): void {
  listSharesRoute(app, context);
  createShareRoute(app, context);
  readShareRoute(app, context);
  changeShareRoute(app, context);
  deleteShareRoute(app, context);
}

function listSharesRoute(app: App, context: RouteContext): void {
  app.get(
    '/v1/shares',
    {
      config: read,
      schema: {
        ...documentation('List shares, newest first'),
        querystring: Type.Object(
          { limit: limitField, cursor: Type.Optional(Type.String({ maxLength: 64 })), ...WorkspaceQuery },
          { additionalProperties: false },
        ),
        response: { 200: response(Type.Object({ shares: Type.Array(Share), cursor: nullable(Type.String()) })) },
      },
    },
    async (request) => {
      const { cursor, limit = LIST.limit.default } = request.query;
      const found = await context.shares.list(request.actor.storage, {
        limit: limit + 1,
        ...(cursor !== undefined && { after: cursor }),
      });
      const page = found.slice(0, limit);
      return {
        response: {
          shares: page.map((share) => shareJson(context, request, share)),
          cursor: found.length > limit ? page.at(-1)!.id : null,
        },
      };
    },
  );
}

function createShareRoute(app: App, context: RouteContext): void {
  app.post(
    '/v1/shares',
    {
      config: write,
      schema: {
        ...documentation('Create a share'),
        description:
          'The mode `read` also requires blob:read. The share ends with the API key that creates it and inherits its allowed IPs.',
        body: Created,
        response: { 201: response(Share) },
      },
    },
    async (request, reply) => {
      const { path, prefix, mode = 'read', ...fields } = request.body;
      const target = { mode, ...(path !== undefined && { path }), ...(prefix !== undefined && { prefix }) };
      // The share gives read access to files.
      if (mode === 'read') requireScope(request.actor, 'blob:read');
      const share = await context.shares.create(request.actor.storage, creatorOf(request.actor), target, fields);
      return reply.code(201).send({ response: shareJson(context, request, share) });
    },
  );
}

function readShareRoute(app: App, context: RouteContext): void {
  app.get(
    '/v1/shares/:id',
    { config: read, schema: { ...documentation('Read a share'), params: IdParams, response: { 200: response(Share) } } },
    async (request) => ({
      response: shareJson(context, request, await context.shares.get(request.actor.storage, request.params.id)),
    }),
  );
}

function changeShareRoute(app: App, context: RouteContext): void {
  app.patch(
    '/v1/shares/:id',
    {
      config: write,
      schema: {
        ...documentation('Change a share'),
        description: 'Also requires blob:read.',
        params: IdParams,
        body: Changes,
        response: { 200: response(Share) },
      },
    },
    async (request) => {
      // A change may give more people read access, for example by removing the password.
      requireScope(request.actor, 'blob:read');
      const { storage } = request.actor;
      const creator = creatorOf(request.actor);
      return {
        response: shareJson(context, request, await context.shares.change(storage, request.params.id, creator, request.body)),
      };
    },
  );
}

function deleteShareRoute(app: App, context: RouteContext): void {
  app.delete(
    '/v1/shares/:id',
    { config: write, schema: { ...documentation('Delete a share'), params: IdParams, response: { 200: response(Type.Null()) } } },
    async (request) => {
      await context.shares.delete(request.actor.storage, request.params.id, creatorOf(request.actor));
      return { response: null };
    },
  );
}
