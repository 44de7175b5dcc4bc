import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from '@fastify/type-provider-typebox';
import { BlobError, invalid } from '../../../../src/protocol/errors.js';
import { uploadTarget } from '../../storage/uploads/placement.js';
import type { Resumable } from '../../storage/blob-storage.js';
import type { App, RouteContext } from '../context.js';
import { sendPreflight, isPreflight } from '../../http/cors.js';
import { fileJson } from '../file-json.js';
import { File, IdParams, nullable, response, WorkspaceQuery } from '../openapi/schemas.js';
import { contentLength, bodyOf, formFields, idempotencyKey, resolveUpload, statedDigest, UploadFields } from '../upload.js';
import { assertMayContinue, uploadNotFound } from '../tus/upload-access.js';
import { described } from '../tus/route-config.js';
import * as tus from '../tus/tus-headers.js';

const querystring = Type.Object(WorkspaceQuery, { additionalProperties: false });
const tags = ['resumable uploads'];

/** tus 1.0 at `/v1/uploads`; the contract stands in docs/reference/tus.md. */
export function resumableRoutes(app: App, context: RouteContext): void {
  const { resumable } = context.blobs;
  app.addHook('preHandler', async (request, reply) => {
    if (request.method !== 'OPTIONS' && request.method !== 'GET') tus.assertVersion(request, reply);
  });
  app.addHook('onSend', async (_request, reply) => void reply.header('Tus-Resumable', tus.TUS_VERSION));

  const keyOf = (request: FastifyRequest) => idempotencyKey(tus.header(request, 'idempotency-key'));

  /** The upload a request names, when whoever sends it may go on with it. */
  async function named(request: FastifyRequest): Promise<Resumable> {
    const upload = await resumable.find(request.actor.storage, (request.params as { id: string }).id);
    if (!upload) throw uploadNotFound();
    await assertMayContinue(context, request.actor, upload, keyOf(request));
    return upload;
  }

  /** What all answers about an upload say; its bytes are a file when the offset is the length. */
  const place = (reply: FastifyReply, upload: Resumable): FastifyReply =>
    reply
      .header('Upload-Offset', String(upload.offset))
      .header('Upload-Expires', new Date(upload.expiresAt).toUTCString())
      .header('Cache-Control', 'no-store');

  const withFile = (request: FastifyRequest, upload: Resumable) => ({
    response: fileJson(upload.file!, context.baseUrl(request)),
  });

  async function append(request: FastifyRequest, upload: Resumable, offset: number): Promise<Resumable> {
    const size = contentLength(request);
    if (size !== undefined && offset + size > upload.length)
      throw new BlobError('BLOB_FILE_TOO_LARGE', 'There are more bytes than Upload-Length announced.', {
        details: { max_size: upload.length },
      });
    const checksum = tus.parseChecksum(tus.header(request, 'upload-checksum'));
    const digest = statedDigest(tus.header(request, 'repr-digest'));
    return resumable.append(upload, bodyOf(context, request), {
      credential: request.actor.credential,
      offset,
      ...(checksum && { checksum }),
      ...(digest && { digest }),
    });
  }

  app.post(
    '/v1/uploads',
    { config: described.create, schema: { summary: 'Create a resumable upload (tus)', tags, querystring, response: Created } },
    async (request, reply) => {
      if (request.headers['upload-defer-length'] !== undefined) throw invalid('upload-defer-length', 'is not offered');
      const length = tus.byteCount(request, 'upload-length');
      const metadata = tus.header(request, 'upload-metadata') ?? '';
      const wish = wishFrom(tus.parseMetadata(metadata));
      if (wish.name === undefined && wish.fields.path === undefined && !request.actor.token?.record.path)
        throw invalid('upload-metadata', 'must hold a filename');
      const where = uploadTarget(wish.fields, wish.name ?? '');
      const { key, properties, overwrite, maxSize } = resolveUpload(context, request, { ...wish, where });
      const idempotency = keyOf(request);
      const digest = statedDigest(tus.header(request, 'repr-digest'));
      const { credential, storage } = request.actor;
      const options = { length, properties, overwrite, credential, uploadMetadata: metadata };
      const made = await resumable.create(storage, key, {
        ...options,
        ...(idempotency !== undefined && { idempotency: { key: idempotency, name: JSON.stringify(where) } }),
        ...(maxSize !== undefined && { maxSize }),
        ...(digest !== undefined && { digest }),
      });
      if (!('offset' in made))
        return reply.header('Upload-Offset', String(length)).send({ response: fileJson(made, context.baseUrl(request)) });
      await assertMayContinue(context, request.actor, made, idempotency);
      tus.assertSameSample(made.uploadMetadata, metadata);
      let upload = made;
      reply.header('Location', `/v1/uploads/${upload.id}`);
      const wasFinished = upload.file !== null && upload.length > 0;
      if (!upload.file) {
        // Whoever asks again has lost the request before: what it brought is counted first.
        await resumable.interrupt(upload.id);
        upload = (await resumable.find(storage, upload.id)) ?? upload;
        if (upload.offset === upload.length) upload = await resumable.finish(upload, request.actor.credential);
        else if (upload.offset === 0 && tus.carriesBytes(request)) {
          const { id } = upload;
          upload = await append(request, upload, 0).catch(async (cause: unknown) => {
            // Others took the quota meanwhile. An upload without bytes goes, and the use of its token is free again.
            const left = (cause as Partial<BlobError>).code === 'STORAGE_FULL' && (await resumable.find(storage, id));
            if (left && left.offset === 0) await resumable.terminate(left);
            throw cause;
          });
        }
      }
      return place(reply, upload)
        .code(wasFinished ? 200 : 201)
        .send(upload.file ? withFile(request, upload) : undefined);
    },
  );

  app.head(
    '/v1/uploads/:id',
    {
      config: described.ask,
      schema: { summary: 'Ask how much of an upload is there (tus)', tags, params: IdParams, querystring },
    },
    async (request, reply) => {
      let upload = await named(request);
      await resumable.interrupt(upload.id);
      upload = (await resumable.find(request.actor.storage, upload.id)) ?? upload;
      if (upload.offset === upload.length) upload = await resumable.finish(upload, request.actor.credential);
      if (upload.uploadMetadata !== '') reply.header('Upload-Metadata', upload.uploadMetadata);
      return place(reply, upload).header('Upload-Length', String(upload.length)).send();
    },
  );

  app.get(
    '/v1/uploads/:id',
    {
      config: described.read,
      exposeHeadRoute: false,
      schema: {
        summary: 'Read an upload and, once it has finished, its file',
        tags,
        params: IdParams,
        querystring,
        response: Answer,
      },
    },
    async (request, reply) => {
      const upload = await named(request);
      const { id, offset, length, expiresAt, file } = offsetReached(upload)
        ? await resumable.finish(upload, request.actor.credential)
        : upload;
      reply.header('Cache-Control', 'no-store');
      const baseUrl = context.baseUrl(request);
      return {
        response: { id, offset, length, expires_at: new Date(expiresAt).toISOString(), file: file && fileJson(file, baseUrl) },
      };
    },
  );

  const patch = async (request: FastifyRequest, reply: FastifyReply) => {
    tus.assertCarriesBytes(request);
    const offset = tus.byteCount(request, 'upload-offset');
    const before = await named(request);
    try {
      const upload = before.file && offset === before.length ? before : await append(request, before, offset);
      return await place(reply, upload)
        .code(upload.file ? 200 : 204)
        .send(upload.file ? withFile(request, upload) : undefined);
    } catch (error) {
      const stands = error instanceof BlobError && error.details['offset'];
      if (typeof stands === 'number') reply.header('Upload-Offset', String(stands));
      throw error;
    }
  };
  app.patch(
    '/v1/uploads/:id',
    {
      config: described.send,
      schema: { summary: 'Send bytes of an upload (tus)', tags, params: IdParams, querystring, response: Finished },
    },
    patch,
  );

  const terminate = async (request: FastifyRequest, reply: FastifyReply) => {
    await resumable.terminate(await named(request));
    return reply.code(204).send();
  };
  app.delete(
    '/v1/uploads/:id',
    { config: described.abandon, schema: { summary: 'Abandon an upload (tus)', tags, params: IdParams, querystring } },
    terminate,
  );

  // For networks that let no PATCH or DELETE through.
  app.post(
    '/v1/uploads/:id',
    {
      config: described.override,
      schema: {
        summary: 'PATCH or DELETE by X-HTTP-Method-Override (tus)',
        tags,
        params: IdParams,
        querystring,
        response: Finished,
      },
    },
    async (request, reply) => {
      const method = tus.header(request, 'x-http-method-override')?.toUpperCase();
      if (method === 'PATCH') return patch(request, reply);
      if (method === 'DELETE') return terminate(request, reply);
      throw invalid('x-http-method-override', 'must be PATCH or DELETE');
    },
  );

  for (const url of ['/v1/uploads', '/v1/uploads/:id'])
    app.options(url, { config: { access: 'everyone' } }, async (request, reply) =>
      isPreflight(request) ? sendPreflight(reply) : tus.describeTus(reply).code(204).send(),
    );
}

const Answer = {
  200: response(
    Type.Object({
      id: Type.String(),
      offset: Type.Integer(),
      length: Type.Integer(),
      expires_at: Type.String(),
      file: nullable(File),
    }),
  ),
};

const Finished = { 200: response(File) };
const Created = { ...Finished, 201: response(File) };

const offsetReached = (upload: Resumable): boolean => upload.offset === upload.length;

/** The name, the type and the options that `Upload-Metadata` states; other keys mean nothing. */
function wishFrom(metadata: Map<string, string>): { name: string | undefined; contentType: string; fields: UploadFields } {
  const options = Object.keys(UploadFields.properties).flatMap((name) => {
    const value = metadata.get(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    name: metadata.get('filename') ?? metadata.get('name'),
    contentType: metadata.get('filetype') ?? metadata.get('type') ?? '',
    fields: formFields(Object.fromEntries(options)),
  };
}
