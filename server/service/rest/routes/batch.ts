import { setMaxListeners } from 'node:events';
import { Type } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { parseDispositionParameters, parseDispositionName } from '../../../../src/protocol/content-disposition.js';
import { toErrorBody } from '../../../../src/protocol/error-response.js';
import { BlobError, validationError } from '../../../../src/protocol/errors.js';
import { BATCH } from '../../../../src/protocol/limits.js';
import type { BatchResult } from '../../../../src/protocol/types.js';
import { uploadTarget } from '../../storage/uploads/placement.js';
import type { App, RouteContext } from '../context.js';
import { redactError } from '../../http/errors.js';
import { fileJson } from '../file-json.js';
import { parseBoundary, splitForm } from '../multipart/split-form.js';
import type { FormPart } from '../multipart/split-form.js';
import { MemoryBudget } from '../multipart/memory-budget.js';
import { File, response, WorkspaceQuery } from '../openapi/schemas.js';
import { contentLength, connectionSignal, requestBody } from '../request-body.js';
import { assertFileChosen, storeUpload } from '../upload/store-upload.js';
import { UploadFields } from '../upload/upload-fields.js';

/** Limits the bodies of all batches together. */
const memory = new MemoryBudget(8 * BATCH.maxBytes);
/** Parts of a batch that are stored in parallel. They share flushes and commits. */
const PARALLEL_PARTS = 16;

const { path: _, ...fields } = UploadFields.properties;
const PartError = Type.Object({
  code: Type.String(),
  message: Type.String(),
  details: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

/** Defines `POST /v1/files/batch`: upload many small files in one request. Each succeeds or fails independently. */
export function batchRoutes(app: App, context: RouteContext): void {
  app.post(
    '/v1/files/batch',
    {
      config: { access: { scope: 'blob:write', tokens: 'also' }, requestBody: 'batch' },
      schema: {
        summary: 'Upload many small files',
        description: `Send multipart/form-data with 1 to ${BATCH.maxParts} parts \`file\` and at most ${BATCH.maxBytes} bytes. Each part may have its own Idempotency-Key and Repr-Digest headers. The results are in the order of the parts.`,
        tags: ['files'],
        querystring: Type.Object({ ...fields, ...WorkspaceQuery }, { additionalProperties: false }),
        response: {
          200: response(Type.Object({ results: Type.Array(Type.Union([Type.Object({ file: File }), PartError])) })),
        },
      },
    },
    async (request, reply) => {
      const boundary = parseBoundary(request.headers['content-type'] ?? '');
      const { workspace_id: __, ...options } = request.query;
      const signal = connectionSignal(reply);
      // Each part that is written to an object store listens. Node would warn about more than ten.
      setMaxListeners(PARALLEL_PARTS, signal);
      // Parts are checked individually later. A token without any use left must not make the service read the body.
      await context.blobs.assertMayStartSome(request.actor.credential);
      const results = await memory.withBody(
        limitedBody(context, request),
        async (body) => {
          const parts = splitForm(body, boundary, BATCH.maxParts);
          for (const part of parts) assertFile(part);
          if (parts.length === 0) throw new BlobError('NO_FILE_UPLOADED', 'The form must contain a part "file".');
          return storeParts(parts, (part) => storePart(context, request, part, options, signal));
        },
        signal,
      );
      return reply.send({ response: { results } });
    },
  );
}

/** @throws `BLOB_FILE_TOO_LARGE` */
async function* limitedBody(context: RouteContext, request: FastifyRequest): AsyncGenerator<Uint8Array> {
  const tooLarge = () =>
    new BlobError('BLOB_FILE_TOO_LARGE', `A batch may have at most ${BATCH.maxBytes} bytes.`, {
      details: { max_size: BATCH.maxBytes },
    });
  if ((contentLength(request) ?? 0) > BATCH.maxBytes) throw tooLarge();
  let size = 0;
  for await (const chunk of requestBody(context, request)) {
    size += chunk.byteLength;
    if (size > BATCH.maxBytes) throw tooLarge();
    yield chunk;
  }
}

function assertFile({ headers }: FormPart): void {
  const disposition = headers['content-disposition'] ?? '';
  const field = /^form-data\s*;/i.test(disposition) ? parseDispositionParameters(disposition).get('name') : undefined;
  if (field !== 'file')
    throw validationError(field ?? 'content-disposition', 'is not a field of this request; every part must be named "file"');
}

/**
 * Stores the parts, some of them in parallel. If another part failed, a part that found no use of the token left is stored again, because the failed
 * part returned its use.
 */
async function storeParts(parts: readonly FormPart[], store: (part: FormPart) => Promise<BatchResult>): Promise<BatchResult[]> {
  const results: BatchResult[] = [];
  const remaining = parts.entries();
  const worker = async () => {
    for (const [index, part] of remaining) results[index] = await store(part);
  };
  await Promise.all(Array.from({ length: PARALLEL_PARTS }, worker));
  const isExhausted = (result: BatchResult) => 'code' in result && result.details?.['reason'] === 'exhausted';
  if (results.some((result) => 'code' in result && !isExhausted(result)))
    for (const [index, part] of parts.entries()) if (isExhausted(results[index]!)) results[index] = await store(part);
  return results;
}

async function storePart(
  context: RouteContext,
  request: FastifyRequest,
  { headers, body }: FormPart,
  options: Omit<UploadFields, 'path'>,
  signal: AbortSignal,
): Promise<BatchResult> {
  try {
    const name = parseDispositionName(headers['content-disposition'] ?? '');
    const stored = await storeUpload(context, request, {
      target: uploadTarget(options, name ?? ''),
      fields: options,
      contentType: headers['content-type'] ?? '',
      body: asStream(body),
      size: body.byteLength,
      headers,
      beforeCommit: (summary) => assertFileChosen(name, summary),
      signal,
    });
    return { file: fileJson(stored.file, context.contentUrl(request)) };
  } catch (cause) {
    const error = redactError(cause, request);
    if (error.status >= 500) request.log.error({ err: cause }, 'part of a batch failed');
    const { code, message = code, details } = toErrorBody(error);
    return { code, message, ...(details && { details }) };
  }
}

async function* asStream(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.byteLength > 0) yield bytes;
}
