import { Type } from '@fastify/type-provider-typebox';
import { LIST } from '../../../../src/protocol/limits.js';
import type { UploadTokenOptions } from '../../../../src/protocol/types.js';
import { creatorOf } from '../../identity/creator-of-actor.js';
import { parseTokenRequest } from '../../identity/token-request.js';
import type { App, RouteContext } from '../context.js';
import {
  CreatedUploadToken,
  IdParams,
  limitField,
  nullable,
  response,
  UploadToken,
  UploadTokenRequest,
  UploadTokenSelf,
  WorkspaceQuery,
} from '../openapi/schemas.js';

const access = { scope: 'blob:write' } as const;
const Workspace = Type.Object(WorkspaceQuery, { additionalProperties: false });

/** Routes for upload tokens, the short-lived credentials of browsers. */
export function uploadTokenRoutes(app: App, context: RouteContext): void {
  createTokenRoute(app, context);
  listTokensRoute(app, context);
  readOwnTokenRoute(app, context);
  readTokenRoute(app, context);
  revokeTokenRoute(app, context);
}

function createTokenRoute(app: App, context: RouteContext): void {
  app.post(
    '/v1/upload-tokens',
    {
      config: { access },
      schema: {
        summary: 'Create an upload token',
        description: 'The token ends with the API key that creates it. It may be used from any address.',
        tags: ['upload tokens'],
        querystring: Workspace,
        body: UploadTokenRequest,
        response: { 201: response(CreatedUploadToken) },
      },
    },
    async (request, reply) => {
      const options = parseTokenRequest(request.body as UploadTokenOptions, context.now());
      const created = await context.tokens.create(request.actor.storage, creatorOf(request.actor), options);
      return reply.code(201).header('Cache-Control', 'no-store').send({ response: created });
    },
  );
}

function listTokensRoute(app: App, context: RouteContext): void {
  app.get(
    '/v1/upload-tokens',
    {
      config: { access },
      schema: {
        summary: 'List upload tokens, newest first',
        tags: ['upload tokens'],
        querystring: Type.Object(
          { limit: limitField, cursor: Type.Optional(Type.String({ maxLength: 64 })), ...WorkspaceQuery },
          { additionalProperties: false },
        ),
        response: { 200: response(Type.Object({ upload_tokens: Type.Array(UploadToken), cursor: nullable(Type.String()) })) },
      },
    },
    async (request) => {
      const { cursor, limit = LIST.limit.default } = request.query;
      const found = await context.tokens.list(request.actor.storage, {
        limit: limit + 1,
        ...(cursor !== undefined && { after: cursor }),
      });
      const page = found.slice(0, limit);
      return { response: { upload_tokens: page, cursor: found.length > limit ? page.at(-1)!.id : null } };
    },
  );
}

function readOwnTokenRoute(app: App, context: RouteContext): void {
  app.get(
    '/v1/upload-tokens/self',
    {
      config: { access: { scope: 'blob:write', tokens: 'only' } },
      schema: {
        summary: 'Read the upload token of this request',
        tags: ['upload tokens'],
        querystring: Workspace,
        response: { 200: response(UploadTokenSelf) },
      },
    },
    async (request, reply) => {
      reply.header('Cache-Control', 'no-store');
      return { response: await context.tokens.self(request.actor.token!) };
    },
  );
}

function readTokenRoute(app: App, context: RouteContext): void {
  app.get(
    '/v1/upload-tokens/:id',
    {
      config: { access },
      schema: {
        summary: 'Read an upload token',
        tags: ['upload tokens'],
        params: IdParams,
        querystring: Workspace,
        response: { 200: response(UploadToken) },
      },
    },
    async (request) => ({ response: await context.tokens.get(request.actor.storage, request.params.id) }),
  );
}

function revokeTokenRoute(app: App, context: RouteContext): void {
  app.delete(
    '/v1/upload-tokens/:id',
    {
      config: { access },
      schema: {
        summary: 'Revoke an upload token',
        tags: ['upload tokens'],
        params: IdParams,
        querystring: Workspace,
        response: { 200: response(Type.Null()) },
      },
    },
    async (request) => {
      await context.tokens.revoke(request.actor.storage, request.params.id, creatorOf(request.actor));
      return { response: null };
    },
  );
}
