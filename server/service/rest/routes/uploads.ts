import { Type } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseDispositionName } from '../../../../src/protocol/content-disposition.js';
import { BlobError, validationError } from '../../../../src/protocol/errors.js';
import { decodePath } from '../../../../src/protocol/paths.js';
import { encodedPath } from '../../http/encoded-path.js';
import type { PutResult } from '../../storage/blob-storage.js';
import { uploadTarget } from '../../storage/uploads/placement.js';
import type { App, RouteContext } from '../context.js';
import { fileJson } from '../file-json.js';
import { readForm } from '../multipart/read-form.js';
import { File, response, WorkspaceQuery } from '../openapi/schemas.js';
import { contentLength, connectionSignal, requestBody } from '../request-body.js';
import { assertFileChosen, storeUpload } from '../upload/store-upload.js';
import { parseFormFields, UploadFields } from '../upload/upload-fields.js';
import { parseIdempotencyKey, uploadHeaders } from '../upload/upload-headers.js';
import type { UploadHeaders } from '../upload/upload-headers.js';

const access = { scope: 'blob:write', tokens: 'also' } as const;
const { path: _, prefix: __, ...putFields } = UploadFields.properties;
const created = { 201: { description: 'The new file.', headers: ['Location' as const] } };

/** Defines `POST /v1/files` and `PUT /v1/files/{path}`: upload one file, streamed from the socket to the store. */
export function uploadRoutes(app: App, context: RouteContext): void {
  uploadFileRoute(app, context);
  uploadFileToPathRoute(app, context);
}

function uploadFileRoute(app: App, context: RouteContext): void {
  app.post(
    '/v1/files',
    {
      config: { access, requestBody: 'form or bytes', responses: created },
      schema: {
        summary: 'Upload a file',
        description:
          'Send multipart/form-data with the options first and then one part `file`, or send the bytes as the body and the file name as Content-Disposition.',
        tags: ['files'],
        querystring: Type.Object({ ...UploadFields.properties, ...WorkspaceQuery }, { additionalProperties: false }),
        response: { 201: response(File) },
      },
    },
    async (request, reply) => {
      const signal = connectionSignal(reply);
      const { workspace_id: ___, ...query } = request.query;
      const isForm = /^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '');
      const store = isForm ? storeForm : storeRawBody;
      return sendStored(context, request, reply.code(201), await store(context, request, query, signal));
    },
  );
}

function uploadFileToPathRoute(app: App, context: RouteContext): void {
  app.put(
    '/v1/files/*',
    {
      config: {
        access,
        requestBody: 'bytes',
        responses: { ...created, 200: { description: 'The file, which replaced another one.', headers: ['Location'] } },
      },
      schema: {
        summary: 'Upload a file to a path',
        tags: ['files'],
        querystring: Type.Object({ ...putFields, ...WorkspaceQuery }, { additionalProperties: false }),
        response: { 200: response(File), 201: response(File) },
      },
    },
    async (request, reply) => {
      const { workspace_id: ___, ...query } = request.query;
      const size = contentLength(request);
      const stored = await storeUpload(context, request, {
        target: { path: decodePath(encodedPath(request, 2)) },
        fields: query,
        contentType: request.headers['content-type'] ?? '',
        body: requestBody(context, request),
        ...(size !== undefined && { size }),
        headers: uploadHeaders(request),
        signal: connectionSignal(reply),
      });
      return sendStored(context, request, reply.code(stored.replaced ? 200 : 201), stored);
    },
  );
}

async function storeForm(
  context: RouteContext,
  request: FastifyRequest,
  query: UploadFields,
  signal: AbortSignal,
): Promise<PutResult> {
  const headers = formHeaders(request);
  const { storage, credential } = request.actor;
  // The options are in the body. An invalid token must not make the service read it.
  await context.blobs.assertMayStart(storage, credential, parseIdempotencyKey(headers['idempotency-key']));
  return readForm(request.raw, requestBody(context, request), (form) => {
    const fields = { ...query, ...parseFormFields(form.fields) };
    return storeUpload(context, request, {
      target: uploadTarget(fields, form.name),
      fields,
      contentType: form.contentType,
      body: form.body,
      async beforeCommit(summary) {
        await form.end();
        assertFileChosen(form.name, summary);
      },
      headers,
      signal,
    });
  });
}

async function storeRawBody(
  context: RouteContext,
  request: FastifyRequest,
  query: UploadFields,
  signal: AbortSignal,
): Promise<PutResult> {
  const { headers } = request;
  const size = contentLength(request);
  const name = parseDispositionName(headers['content-disposition'] ?? '');
  if (name === undefined && query.path === undefined && !request.actor.token?.record.path) {
    if (size === undefined && headers['transfer-encoding'] === undefined)
      throw new BlobError('NO_FILE_UPLOADED', 'The request must contain a file; it has no body.');
    throw validationError('content-disposition', "must contain the file name: attachment; filename*=UTF-8''…");
  }
  return storeUpload(context, request, {
    target: uploadTarget(query, name ?? ''),
    fields: query,
    contentType: headers['content-type'] ?? '',
    body: requestBody(context, request),
    ...(size !== undefined && { size }),
    headers: uploadHeaders(request),
    signal,
  });
}

const sendStored = (context: RouteContext, request: FastifyRequest, reply: FastifyReply, { file }: PutResult): FastifyReply =>
  reply.header('Location', `/v1/files/${file.id}`).send({ response: fileJson(file, context.contentUrl(request)) });

/** @throws `VALIDATION_ERROR` for a Repr-Digest, because it would describe the form instead of the file. */
function formHeaders(request: FastifyRequest): UploadHeaders {
  const headers = uploadHeaders(request);
  if (headers['repr-digest'] !== undefined)
    throw validationError('repr-digest', 'must not be sent with a form; send the bytes of the file as the body');
  return headers;
}
