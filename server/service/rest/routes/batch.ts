import { Type } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { dispositionParameters, parseDispositionName } from '../../../../src/protocol/content-disposition.js';
import { BlobError, invalid, toErrorBody } from '../../../../src/protocol/errors.js';
import { BATCH } from '../../../../src/protocol/limits.js';
import type { BatchResult } from '../../../../src/protocol/types.js';
import { uploadTarget } from '../../storage/uploads/placement.js';
import type { App, RouteContext } from '../context.js';
import { redactError } from '../../http/errors.js';
import { fileJson } from '../file-json.js';
import { boundaryOf, splitForm } from '../multipart/split-form.js';
import type { FormPart } from '../multipart/split-form.js';
import { MemoryBudget } from '../multipart/memory-budget.js';
import { File, response, WorkspaceQuery } from '../openapi/schemas.js';
import { contentLength, bodyOf, disconnectSignal, named, storeUpload, UploadFields } from '../upload.js';

/** Bodies of all batches together. */
const memory = new MemoryBudget(8 * BATCH.maxBytes);
/** Parts of one batch that are stored side by side: they share flushes and commits. */
const SIDE_BY_SIDE = 16;

const { path: _, ...fields } = UploadFields.properties;
const Refusal = Type.Object({
  code: Type.String(),
  message: Type.String(),
  details: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

/** `POST /v1/files/batch`: many small files in one request, each judged, used and stored by itself. */
export function batchRoutes(app: App, context: RouteContext): void {
  app.post(
    '/v1/files/batch',
    {
      config: { access: { scope: 'blob:write', tokens: 'also' }, takes: 'batch' },
      schema: {
        summary: 'Upload many small files',
        description: `multipart/form-data with 1 to ${BATCH.maxParts} parts \`file\`, at most ${BATCH.maxBytes} bytes in all. A part may have its own Idempotency-Key and Repr-Digest headers.`,
        tags: ['files'],
        querystring: Type.Object({ ...fields, ...WorkspaceQuery }, { additionalProperties: false }),
        response: {
          200: response(Type.Object({ results: Type.Array(Type.Union([Type.Object({ file: File }), Refusal])) })),
        },
      },
    },
    async (request, reply) => {
      const boundary = boundaryOf(request.headers['content-type'] ?? '');
      const { workspace_id: __, ...options } = request.query;
      const signal = disconnectSignal(reply);
      // Each part is judged by itself, but of a token that can store nothing no part is worth reading.
      await context.blobs.assertMayStartSome(request.actor.credential);
      const results = await memory.gather(
        bounded(context, request),
        async (body) => {
          const parts = splitForm(body, boundary, BATCH.maxParts);
          for (const part of parts) assertFile(part);
          if (parts.length === 0) throw new BlobError('NO_FILE_UPLOADED', 'The form has no part "file".');
          return storeParts(parts, (part) => storePart(context, request, part, options, signal));
        },
        signal,
      );
      return reply.send({ response: { results } });
    },
  );
}

async function* bounded(context: RouteContext, request: FastifyRequest): AsyncGenerator<Uint8Array> {
  const tooLarge = () =>
    new BlobError('BLOB_FILE_TOO_LARGE', `A batch holds at most ${BATCH.maxBytes} bytes.`, {
      details: { max_size: BATCH.maxBytes },
    });
  if ((contentLength(request) ?? 0) > BATCH.maxBytes) throw tooLarge();
  let size = 0;
  for await (const chunk of bodyOf(context, request)) {
    size += chunk.byteLength;
    if (size > BATCH.maxBytes) throw tooLarge();
    yield chunk;
  }
}

function assertFile({ headers }: FormPart): void {
  const disposition = headers['content-disposition'] ?? '';
  const field = /^form-data\s*;/i.test(disposition) ? dispositionParameters(disposition).get('name') : undefined;
  if (field !== 'file') throw invalid(field ?? 'content-disposition', 'is no field of this request; every part is a "file"');
}

/**
 * Stores the parts, some at a time. A part that found all uses taken tries again when the others are done: one of them may have failed and
 * given its use back.
 */
async function storeParts(parts: readonly FormPart[], store: (part: FormPart) => Promise<BatchResult>): Promise<BatchResult[]> {
  const results: BatchResult[] = [];
  const turns = parts.entries();
  const worker = async () => {
    for (const [index, part] of turns) results[index] = await store(part);
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker));
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
      where: uploadTarget(options, name ?? ''),
      fields: options,
      contentType: headers['content-type'] ?? '',
      body: once(body),
      size: body.byteLength,
      headers,
      complete: named(name),
      signal,
    });
    return { file: fileJson(stored.file, context.baseUrl(request)) };
  } catch (cause) {
    const error = redactError(cause, request);
    if (error.status >= 500) request.log.error({ err: cause }, 'part of a batch failed');
    const { code, message = code, details } = toErrorBody(error);
    return { code, message, ...(details && { details }) };
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.byteLength > 0) yield bytes;
}
