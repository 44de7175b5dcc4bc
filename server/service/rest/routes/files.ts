import { Type } from '@fastify/type-provider-typebox';
import { BlobError } from '../../../../src/protocol/errors.js';
import { LIST } from '../../../../src/protocol/limits.js';
import type { App, RouteContext } from '../context.js';
import { fromCursor, toCursor } from '../cursor.js';
import { fileJson } from '../file-json.js';
import { File, IdParams, limitField, nullable, response, WorkspaceQuery } from '../openapi/schemas.js';
import { serveFile } from '../../http/serve-file.js';
import { disconnectSignal } from '../request-body.js';

const notFound = (id: string) => new BlobError('FILE_NOT_FOUND', `There is no file ${id}.`, { details: { id } });
const Workspace = Type.Object(WorkspaceQuery, { additionalProperties: false });

/** Routes that list and read files. */
export function fileRoutes(app: App, context: RouteContext): void {
  listFilesRoute(app, context);
  readFileRecordRoute(app, context);
  readFileContentRoute(app, context);
}

function listFilesRoute(app: App, context: RouteContext): void {
  app.get(
    '/v1/files',
    {
      config: { access: { scope: 'blob:read' } },
      schema: {
        summary: 'List files by prefix',
        tags: ['files'],
        querystring: Type.Object(
          {
            prefix: Type.Optional(Type.String({ maxLength: 1024, description: 'The start of the paths.' })),
            delimiter: Type.Optional(
              Type.String({
                maxLength: 16,
                description: 'Usually "/". Paths with it after the prefix are grouped in `prefixes`.',
              }),
            ),
            limit: limitField,
            cursor: Type.Optional(Type.String({ maxLength: 2048, description: 'The cursor of the previous page.' })),
            ...WorkspaceQuery,
          },
          { additionalProperties: false },
        ),
        response: {
          200: response(
            Type.Object({ files: Type.Array(File), prefixes: Type.Array(Type.String()), cursor: nullable(Type.String()) }),
          ),
        },
      },
    },
    async (request) => {
      const { prefix, delimiter, cursor, limit } = request.query;
      const listing = await context.blobs.list(request.actor.storage, {
        limit: limit ?? LIST.limit.default,
        ...(prefix !== undefined && { prefix }),
        ...(delimiter !== undefined && { delimiter }),
        ...(cursor !== undefined && { after: fromCursor(cursor) }),
      });
      const baseUrl = context.baseUrl(request);
      return {
        response: {
          files: listing.files.map((file) => fileJson(file, baseUrl)),
          prefixes: listing.prefixes,
          cursor: listing.next === null ? null : toCursor(listing.next),
        },
      };
    },
  );
}

function readFileRecordRoute(app: App, context: RouteContext): void {
  app.get(
    '/v1/files/:id',
    {
      config: { access: { scope: 'blob:read' } },
      schema: {
        summary: "Read a file's record",
        tags: ['files'],
        params: IdParams,
        querystring: Workspace,
        response: { 200: response(File) },
      },
    },
    async (request) => {
      const file = await context.blobs.getById(request.actor.storage, request.params.id);
      if (!file) throw notFound(request.params.id);
      return { response: fileJson(file, context.baseUrl(request)) };
    },
  );
}

function readFileContentRoute(app: App, context: RouteContext): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/v1/files/:id/content',
    config: { access: { scope: 'blob:read' }, responseBody: 'bytes' },
    schema: {
      summary: "Read a file's bytes",
      description: 'Supports ranges and conditional requests.',
      tags: ['files'],
      params: IdParams,
      querystring: Workspace,
    },
    handler: async (request, reply) => {
      const opened = await context.blobs.openById(request.actor.storage, request.params.id);
      if (!opened) throw notFound(request.params.id);
      return serveFile(request, reply, opened, disconnectSignal(reply));
    },
  });
}
