import { Type } from '@fastify/type-provider-typebox';
import { BULK_DELETE, PATH } from '../../../../src/protocol/limits.js';
import { validatePath } from '../../../../src/protocol/paths.js';
import { BlobError } from '../../../../src/protocol/errors.js';
import { creatorOf, creatorOfToken } from '../../identity/creator-of-actor.js';
import { requireScope } from '../../identity/authorize.js';
import { tokenConstraint } from '../../storage/uploads/placement.js';
import { parseFileOptions } from '../../../../src/protocol/file-options.js';
import type { App, RouteContext } from '../context.js';
import { writeConditionsOf } from '../../http/conditional-requests.js';
import { fileJson } from '../file-json.js';
import { File, IdParams, Metadata, nullable, response, Visibility, WorkspaceQuery } from '../openapi/schemas.js';

const access = { scope: 'blob:write' } as const;
const Workspace = Type.Object(WorkspaceQuery, { additionalProperties: false });
const Path = Type.String({ minLength: 1, maxLength: PATH.maxBytes });
const Target = Type.Object(
  { path: Path, overwrite: Type.Optional(Type.Boolean({ default: false })) },
  { additionalProperties: false, $id: 'Target' },
);
const Changes = Type.Object(
  {
    path: Type.Optional(Path),
    visibility: Type.Optional(Visibility),
    cache_control: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 1024 }))),
    content_disposition: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 1024 }))),
    expires_at: Type.Optional(nullable(Type.String())),
    metadata: Type.Optional(Metadata),
  },
  { additionalProperties: false, minProperties: 1, $id: 'FileChanges' },
);

const documentation = (summary: string) => ({ summary, tags: ['files'], querystring: Workspace });

const Deleted = Type.Object({ id: Type.String(), deleted: Type.Boolean(), code: Type.Optional(Type.String()) });

/** Routes that change, copy, move and delete files. */
export function fileChangeRoutes(app: App, context: RouteContext): void {
  changeFileRoute(app, context);
  copyFileRoute(app, context);
  moveFileRoute(app, context);
  deleteFileRoute(app, context);
  deleteFilesRoute(app, context);
}

function changeFileRoute(app: App, context: RouteContext): void {
  app.patch(
    '/v1/files/:id',
    {
      config: { access },
      schema: {
        ...documentation('Change a file'),
        description: 'Making a file public also requires blob:read.',
        params: IdParams,
        body: Changes,
        response: { 200: response(File) },
      },
    },
    async (request) => {
      const { path, ...options } = request.body;
      // A key could read a private file by making it public.
      if (options.visibility === 'public') requireScope(request.actor, 'blob:read');
      const file = await context.blobs.update(request.actor.storage, request.params.id, {
        ...parseFileOptions(options, context.now()),
        ...(path !== undefined && { key: validatePath(path) }),
        ...writeConditionsOf(request.headers),
      });
      return { response: fileJson(file, context.contentUrl(request)) };
    },
  );
}

function copyFileRoute(app: App, context: RouteContext): void {
  app.post(
    '/v1/files/:id/copy',
    {
      config: { access },
      schema: {
        ...documentation('Copy a file'),
        params: IdParams,
        body: Target,
        response: { 200: response(File), 201: response(File) },
      },
    },
    async (request, reply) => {
      const { storage, credential } = request.actor;
      const { path, overwrite = false } = request.body;
      const copied = await context.blobs.copy(storage, request.params.id, storage, validatePath(path), { credential, overwrite });
      return reply.code(copied.replaced ? 200 : 201).send({ response: fileJson(copied.file, context.contentUrl(request)) });
    },
  );
}

function moveFileRoute(app: App, context: RouteContext): void {
  app.post(
    '/v1/files/:id/move',
    {
      config: { access },
      schema: { ...documentation('Move a file'), params: IdParams, body: Target, response: { 200: response(File) } },
    },
    async (request) => {
      const { path, overwrite = false } = request.body;
      const moved = await context.blobs.move(request.actor.storage, request.params.id, validatePath(path), { overwrite });
      return { response: fileJson(moved, context.contentUrl(request)) };
    },
  );
}

function deleteFileRoute(app: App, context: RouteContext): void {
  app.delete(
    '/v1/files/:id',
    {
      config: { access: { ...access, tokens: 'also' } },
      schema: {
        ...documentation('Delete a file'),
        description:
          'An upload token needs `allow_delete`, and deletes only files that it stored, until it expires. A file that was replaced or moved ' +
          'since is not found.',
        params: IdParams,
        response: { 200: response(Type.Null()) },
      },
    },
    async (request) => {
      const { id } = request.params;
      const { storage, token, credential } = request.actor;
      if (token && !token.record.allow_delete) throw tokenConstraint('allow_delete', 'does not allow deleting files');
      const conditions = writeConditionsOf(request.headers);
      const file = token
        ? await context.blobs.deleteOfToken(storage, id, conditions, { credential, creator: creatorOfToken(token) })
        : await context.blobs.deleteById(storage, id, conditions);
      if (!file) throw new BlobError('FILE_NOT_FOUND', `There is no file ${id}.`, { details: { id } });
      return { response: null };
    },
  );
}

function deleteFilesRoute(app: App, context: RouteContext): void {
  app.post(
    '/v1/files/delete',
    {
      config: { access },
      schema: {
        ...documentation('Delete many files'),
        body: Type.Object(
          {
            ids: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
              minItems: BULK_DELETE.min,
              maxItems: BULK_DELETE.max,
            }),
          },
          { additionalProperties: false },
        ),
        response: { 200: response(Type.Object({ results: Type.Array(Deleted) })) },
      },
    },
    async (request) => {
      const { actor } = request;
      const deleted = await context.blobs.deleteMany(actor.storage, request.body.ids, creatorOf(actor));
      const results = request.body.ids.map((id) =>
        deleted.has(id) ? { id, deleted: true } : { id, deleted: false, code: 'FILE_NOT_FOUND' },
      );
      return { response: { results } };
    },
  );
}
