import { Type } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { BlobError } from '../../../../src/protocol/errors.js';
import { platformError } from '../../../../src/protocol/platform-errors.js';
import { RETRY_AFTER_SECONDS } from '../../runtime/retry-after.js';
import { tokenConstraint, uploadTarget } from '../../storage/uploads/placement.js';
import type { App, RouteContext } from '../context.js';
import { fetchFile } from '../fetch/fetch-file.js';
import { FetchBody, parseFetchRequest } from '../fetch/fetch-request.js';
import type { FetchRequest } from '../fetch/fetch-request.js';
import { FetchSlots } from '../fetch/fetch-slots.js';
import { acceptsEvents, sendEvents } from '../fetch/send-events.js';
import { fileJson } from '../file-json.js';
import { File, response, WorkspaceQuery } from '../openapi/schemas.js';
import { connectionSignal } from '../request-body.js';
import { resolveUpload } from '../upload/store-upload.js';
import { parseIdempotencyKey, uploadHeaders } from '../upload/upload-headers.js';

/** Without events, the client hears nothing until the end. */
const SILENCE_AFTER_SECONDS = 60;

/** Defines the route that stores the response to a URL as a file. */
export function fetchRoute(app: App, context: RouteContext): void {
  const slots = new FetchSlots();
  const stop = new AbortController();
  // A fetch may take minutes. Its client repeats it with another replica.
  app.addHook('preClose', async () => stop.abort(serviceStops()));
  app.post(
    '/v1/files/fetch',
    {
      config: {
        access: { scope: 'blob:write', tokens: 'also' },
        headers: {
          'Idempotency-Key': 'optional',
          'If-Match': 'optional',
          'If-None-Match': 'optional',
          'Repr-Digest': 'optional',
        },
        responses: { 201: { description: 'The new file.', headers: ['Location'] } },
      },
      schema: {
        summary: 'Fetch a file from a URL',
        description:
          'Off unless the operator enables it. With `Accept: text/event-stream` the response has the status 200 and the events ' +
          '`progress` {bytes, total, name, content_type}, then `done` {file} or `error` {code, message, details}. An upload token needs `allow_fetch`.',
        tags: ['files'],
        querystring: Type.Object(WorkspaceQuery, { additionalProperties: false }),
        body: FetchBody,
        response: { 201: response(File) },
      },
    },
    async (request, reply) => {
      assertAllowed(context, request);
      const fetched = parseFetchRequest(request.body, context.outbound);
      assertPlacement(context, request, fetched);
      const left = connectionSignal(reply, (fetched.timeoutSeconds + SILENCE_AFTER_SECONDS) * 1000);
      const signal = AbortSignal.any([left, stop.signal]);
      const earlier = await earlierFile(context, request, fetched);
      const render = (file: Parameters<typeof fileJson>[0]) => fileJson(file, context.contentUrl(request));
      const release = earlier ? undefined : slots.take(request.actor.storage.accountId);
      const run = async (report: Parameters<typeof fetchFile>[3]['report']) => {
        try {
          return earlier ?? (await fetchFile(context, request, fetched, { signal, report })).file;
        } finally {
          release?.();
        }
      };
      if (acceptsEvents(request)) return sendEvents(reply, async (report) => ({ file: render(await run(report)) }));
      const file = await run(() => {});
      return reply
        .code(201)
        .header('Location', `/v1/files/${file.id}`)
        .send({ response: render(file) });
    },
  );
}

const serviceStops = () =>
  new BlobError('SERVICE_UNAVAILABLE', 'The service is stopping. Try again.', { details: { retry_after: RETRY_AFTER_SECONDS } });

/** @throws `BLOB_UPLOAD_TOKEN_CONSTRAINT`, `FETCH_DISABLED` */
function assertAllowed({ mayFetch }: RouteContext, { actor }: FastifyRequest): void {
  if (actor.token && !actor.token.record.allow_fetch) throw tokenConstraint('allow_fetch', 'does not allow fetching URLs');
  if (!mayFetch)
    throw platformError('FETCH_DISABLED', 'This service does not fetch URLs. The operator can enable it with --fetch.');
}

/** Validates what does not depend on the response, before the URL is requested. A token may decide by the name of the file. */
function assertPlacement(context: RouteContext, request: FastifyRequest, { fields }: FetchRequest): void {
  if (fields.path === undefined && request.actor.token) return;
  resolveUpload(context, request, { target: uploadTarget(fields, 'file'), fields, contentType: '' });
}

/** Reads the file that an earlier request with the same idempotency key stored. The URL is not requested again, because it may have changed. */
async function earlierFile({ blobs }: RouteContext, request: FastifyRequest, { idempotencyName }: FetchRequest) {
  const { storage, credential } = request.actor;
  const key = parseIdempotencyKey(uploadHeaders(request)['idempotency-key']);
  await blobs.assertMayStart(storage, credential, key);
  return key === undefined ? undefined : blobs.earlierUpload(storage, credential, { key, name: idempotencyName });
}
