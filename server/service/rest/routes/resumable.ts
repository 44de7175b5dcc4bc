import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from '@fastify/type-provider-typebox';
import { BlobError, validationError } from '../../../../src/protocol/errors.js';
import { isPreflight, sendPreflight } from '../../http/cors.js';
import type { Resumable } from '../../storage/blob-storage.js';
import type { App, RouteContext } from '../context.js';
import { fileJson } from '../file-json.js';
import { File, IdParams, nullable, response, WorkspaceQuery } from '../openapi/schemas.js';
import { appendBody } from '../tus/append-body.js';
import { createUpload } from '../tus/create-upload.js';
import { tusRouteConfig } from '../tus/route-config.js';
import {
  assertUploadBody,
  assertVersion,
  getHeader,
  parseByteCount,
  setCapabilityHeaders,
  TUS_VERSION,
} from '../tus/tus-headers.js';
import { requireUpload } from '../tus/upload-access.js';
import { reloadUpload, sendUpload, setUploadHeaders } from '../tus/upload-response.js';

const querystring = Type.Object(WorkspaceQuery, { additionalProperties: false });
const tags = ['resumable uploads'];

const uploadState = {
  200: response(
    Type.Object({
      id: Type.String(),
      offset: Type.Integer({ description: 'Bytes that are stored.' }),
      length: Type.Integer({ description: 'Bytes of the whole file.' }),
      expires_at: Type.String({ description: 'ISO 8601, UTC. The upload is deleted then.' }),
      file: nullable(File),
    }),
  ),
};
const finished = { 200: response(File) };
const created = { ...finished, 201: response(File) };

const isComplete = (upload: Resumable): boolean => upload.offset === upload.length;

/** Defines the routes of resumable uploads with tus 1.0 at `/v1/uploads`. */
export function resumableRoutes(app: App, context: RouteContext): void {
  app.addHook('preHandler', async (request, reply) => {
    if (request.method !== 'OPTIONS' && request.method !== 'GET') assertVersion(request, reply);
  });
  app.addHook('onSend', async (_request, reply) => void reply.header('Tus-Resumable', TUS_VERSION));
  createResumableRoute(app, context);
  readOffsetRoute(app, context);
  readUploadRoute(app, context);
  appendToUploadRoute(app, context);
  abortUploadRoute(app, context);
  overrideMethodRoute(app, context);
  capabilityRoutes(app);
}

function createResumableRoute(app: App, context: RouteContext): void {
  app.post(
    '/v1/uploads',
    {
      config: tusRouteConfig.create,
      schema: { summary: 'Create a resumable upload (tus)', tags, querystring, response: created },
    },
    async (request, reply) => {
      await createUpload(context, request, reply);
      return reply;
    },
  );
}

function readOffsetRoute(app: App, context: RouteContext): void {
  app.head(
    '/v1/uploads/:id',
    {
      config: tusRouteConfig.head,
      schema: { summary: 'Read the offset of an upload (tus)', tags, params: IdParams, querystring },
    },
    async (request, reply) => {
      let upload = await reloadUpload(context, request, await requireUpload(context, request));
      if (isComplete(upload)) upload = await context.blobs.resumable.finish(upload, request.actor.credential);
      if (upload.uploadMetadata !== '') reply.header('Upload-Metadata', upload.uploadMetadata);
      return setUploadHeaders(reply, upload).header('Upload-Length', String(upload.length)).send();
    },
  );
}

function readUploadRoute(app: App, context: RouteContext): void {
  app.get(
    '/v1/uploads/:id',
    {
      config: tusRouteConfig.get,
      exposeHeadRoute: false,
      schema: {
        summary: 'Read an upload and, after its last byte, its file',
        tags,
        params: IdParams,
        querystring,
        response: uploadState,
      },
    },
    async (request, reply) => {
      let upload = await requireUpload(context, request);
      if (isComplete(upload)) upload = await context.blobs.resumable.finish(upload, request.actor.credential);
      const { id, offset, length, expiresAt, file } = upload;
      reply.header('Cache-Control', 'no-store');
      return {
        response: {
          id,
          offset,
          length,
          expires_at: new Date(expiresAt).toISOString(),
          file: file && fileJson(file, context.contentUrl(request)),
        },
      };
    },
  );
}

function appendToUploadRoute(app: App, context: RouteContext): void {
  app.patch(
    '/v1/uploads/:id',
    {
      config: tusRouteConfig.patch,
      schema: { summary: 'Append bytes to an upload (tus)', tags, params: IdParams, querystring, response: finished },
    },
    async (request, reply) => {
      await appendRequest(context, request, reply);
      return reply;
    },
  );
}

function abortUploadRoute(app: App, context: RouteContext): void {
  app.delete(
    '/v1/uploads/:id',
    { config: tusRouteConfig.delete, schema: { summary: 'Abort an upload (tus)', tags, params: IdParams, querystring } },
    async (request, reply) => {
      await abortRequest(context, request, reply);
      return reply;
    },
  );
}

/** Some networks block PATCH and DELETE. */
function overrideMethodRoute(app: App, context: RouteContext): void {
  app.post(
    '/v1/uploads/:id',
    {
      config: tusRouteConfig.override,
      schema: {
        summary: 'Send PATCH or DELETE as X-HTTP-Method-Override (tus)',
        tags,
        params: IdParams,
        querystring,
        response: finished,
      },
    },
    async (request, reply) => {
      const method = getHeader(request, 'x-http-method-override')?.toUpperCase();
      if (method === 'PATCH') await appendRequest(context, request, reply);
      else if (method === 'DELETE') await abortRequest(context, request, reply);
      else throw validationError('x-http-method-override', 'must be PATCH or DELETE');
      return reply;
    },
  );
}

async function appendRequest(context: RouteContext, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  assertUploadBody(request);
  const offset = parseByteCount(request, 'upload-offset');
  const before = await requireUpload(context, request);
  const isFinished = before.file && offset === before.length;
  try {
    const upload = isFinished ? before : await appendBody(context, request, before, offset);
    return await sendUpload(context, request, reply.code(upload.file ? 200 : 204), upload);
  } catch (error) {
    // After a failure, clients continue at the stored offset.
    const storedOffset = error instanceof BlobError && error.details['offset'];
    if (typeof storedOffset === 'number') reply.header('Upload-Offset', String(storedOffset));
    throw error;
  }
}

async function abortRequest(context: RouteContext, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  await context.blobs.resumable.terminate(await requireUpload(context, request));
  return reply.code(204).send();
}

/** Responds to OPTIONS with the supported protocol. */
function capabilityRoutes(app: App): void {
  for (const url of ['/v1/uploads', '/v1/uploads/:id'])
    app.options(url, { config: { access: 'everyone' } }, async (request, reply) =>
      isPreflight(request) ? sendPreflight(reply) : setCapabilityHeaders(reply).code(204).send(),
    );
}
