import { Type } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { BlobError, invalid } from '../../../../src/protocol/errors.js';
import { parseDispositionName } from '../../../../src/protocol/content-disposition.js';
import { decodePath } from '../../../../src/protocol/paths.js';
import { uploadTarget } from '../../storage/uploads/placement.js';
import type { App, RouteContext } from '../context.js';
import { encodedPath } from '../../http/encoded-path.js';
import { fileJson } from '../file-json.js';
import { readForm } from '../multipart/read-form.js';
import { File, response, WorkspaceQuery } from '../openapi/schemas.js';
import {
  contentLength,
  bodyOf,
  formFields,
  disconnectSignal,
  idempotencyKey,
  named,
  storeUpload,
  uploadHeaders,
  UploadFields,
} from '../upload.js';
import type { Incoming } from '../upload.js';

const access = { scope: 'blob:write', tokens: 'also' } as const;
const { path: _, prefix: __, ...putFields } = UploadFields.properties;
const made = { 201: { says: 'The file.', carries: ['Location' as const] } };

/** `POST /v1/files` and `PUT /v1/files/{path}`: one file, streamed from the socket to the store. */
export function uploadRoutes(app: App, context: RouteContext): void {
  app.post(
    '/v1/files',
    {
      config: { access, takes: 'form or bytes', answers: made },
      schema: {
        summary: 'Upload a file',
        description: 'multipart/form-data with one part `file` after its options, or a raw body named by Content-Disposition.',
        tags: ['files'],
        querystring: Type.Object({ ...UploadFields.properties, ...WorkspaceQuery }, { additionalProperties: false }),
        response: { 201: response(File) },
      },
    },
    async (request, reply) => {
      const signal = disconnectSignal(reply);
      const { headers } = request;
      const { workspace_id: ___, ...query } = request.query;
      const contentType = headers['content-type'] ?? '';
      let stored;
      if (/^multipart\/form-data\b/i.test(contentType)) {
        const stated = formHeaders(request);
        const { storage, credential } = request.actor;
        await context.blobs.assertMayStart(storage, credential, idempotencyKey(stated['idempotency-key']));
        stored = await readForm(request.raw, bodyOf(context, request), (form) => {
          const fields = { ...query, ...formFields(form.fields) };
          const { contentType: type, body, complete } = form;
          return storeUpload(context, request, {
            where: uploadTarget(fields, form.name),
            fields,
            contentType: type,
            body,
            async complete(facts) {
              await complete();
              named(form.name)(facts);
            },
            headers: stated,
            signal,
          });
        });
      } else {
        const name = parseDispositionName(headers['content-disposition'] ?? '');
        if (name === undefined && query.path === undefined && !request.actor.token?.record.path) {
          if (contentLength(request) === undefined && headers['transfer-encoding'] === undefined)
            throw new BlobError('NO_FILE_UPLOADED', 'The request has no body and names no file.');
          throw invalid('content-disposition', "must name the file: attachment; filename*=UTF-8''…");
        }
        const size = contentLength(request);
        stored = await storeUpload(context, request, {
          where: uploadTarget(query, name ?? ''),
          fields: query,
          contentType,
          body: bodyOf(context, request),
          ...(size !== undefined && { size }),
          headers: uploadHeaders(request),
          signal,
        });
      }
      return reply
        .code(201)
        .header('Location', `/v1/files/${stored.file.id}`)
        .send({ response: fileJson(stored.file, context.baseUrl(request)) });
    },
  );

  app.put(
    '/v1/files/*',
    {
      config: {
        access,
        takes: 'bytes',
        answers: { ...made, 200: { says: 'The file; it replaced another.', carries: ['Location'] } },
      },
      schema: {
        summary: 'Upload a file to a path',
        tags: ['files'],
        querystring: Type.Object({ ...putFields, ...WorkspaceQuery }, { additionalProperties: false }),
        response: { 200: response(File), 201: response(File) },
      },
    },
    async (request, reply) => {
      const { headers } = request;
      const { workspace_id: ___, ...query } = request.query;
      const path = decodePath(encodedPath(request, 2));
      const size = contentLength(request);
      const stored = await storeUpload(context, request, {
        where: { path },
        fields: query,
        contentType: headers['content-type'] ?? '',
        body: bodyOf(context, request),
        ...(size !== undefined && { size }),
        headers: uploadHeaders(request),
        signal: disconnectSignal(reply),
      });
      return reply
        .code(stored.replaced ? 200 : 201)
        .header('Location', `/v1/files/${stored.file.id}`)
        .send({ response: fileJson(stored.file, context.baseUrl(request)) });
    },
  );
}

/** Of what speaks of the file, a form has its own. @throws `VALIDATION_ERROR` for a digest, which would be the form's. */
function formHeaders(request: FastifyRequest): Incoming['headers'] {
  const headers = uploadHeaders(request);
  if (headers['repr-digest'] !== undefined)
    throw invalid('repr-digest', 'would be that of the whole form; send the file as the body to state its own');
  return headers;
}
