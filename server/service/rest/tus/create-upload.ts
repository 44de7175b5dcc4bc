import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BlobError } from '../../../../src/protocol/errors.js';
import { validationError } from '../../../../src/protocol/errors.js';
import type { Resumable } from '../../storage/blob-storage.js';
import { uploadTarget } from '../../storage/uploads/placement.js';
import type { RouteContext } from '../context.js';
import { fileJson } from '../file-json.js';
import { resolveUpload } from '../upload/store-upload.js';
import { parseFormFields, UploadFields } from '../upload/upload-fields.js';
import { parseReprDigest } from '../upload/upload-headers.js';
import { appendBody } from './append-body.js';
import {
  assertSameSample,
  getHeader,
  hasUploadBody,
  parseByteCount,
  parseUploadMetadata,
  requestIdempotencyKey,
} from './tus-headers.js';
import { assertMayContinue } from './upload-access.js';
import { reloadUpload, sendUpload } from './upload-response.js';

/** Handles `POST /v1/uploads`: creates an upload, or finds the earlier one of the same Idempotency-Key. The body may contain its first bytes. */
export async function createUpload(context: RouteContext, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (request.headers['upload-defer-length'] !== undefined)
    throw validationError('upload-defer-length', 'is not supported; send Upload-Length');
  const length = parseByteCount(request, 'upload-length');
  const uploadMetadata = getHeader(request, 'upload-metadata') ?? '';
  const result = await createOrFind(context, request, length, uploadMetadata);
  // A finished upload without its record: the idempotency key returns the file.
  if (!('offset' in result))
    return reply.header('Upload-Offset', String(length)).send({ response: fileJson(result, context.contentUrl(request)) });

  await assertMayContinue(context, request.actor, result, requestIdempotencyKey(request));
  assertSameSample(result.uploadMetadata, uploadMetadata);
  reply.header('Location', `/v1/uploads/${result.id}${workspaceQuery(request)}`);
  const wasFinished = result.file !== null && result.length > 0;
  const upload = result.file ? result : await receiveFirstBytes(context, request, result);
  return sendUpload(context, request, reply.code(wasFinished ? 200 : 201), upload);
}

/** tus clients follow `Location` as it is, so the address of an upload in a workspace names the workspace. */
const workspaceQuery = ({ actor: { membership } }: FastifyRequest): string =>
  membership ? `?workspace_id=${encodeURIComponent(membership.workspaceId)}` : '';

function createOrFind(context: RouteContext, request: FastifyRequest, length: number, uploadMetadata: string) {
  const { name, contentType, fields } = readMetadata(parseUploadMetadata(uploadMetadata));
  if (name === undefined && fields.path === undefined && !request.actor.token?.record.path)
    throw validationError('upload-metadata', 'must contain a filename');
  const target = uploadTarget(fields, name ?? '');
  const { key, properties, overwrite, maxSize } = resolveUpload(context, request, { target, fields, contentType });
  const idempotencyKey = requestIdempotencyKey(request);
  const digest = parseReprDigest(getHeader(request, 'repr-digest'));
  const { credential, storage } = request.actor;
  return context.blobs.resumable.create(storage, key, {
    length,
    properties,
    overwrite,
    credential,
    uploadMetadata,
    ...(idempotencyKey !== undefined && { idempotency: { key: idempotencyKey, name: JSON.stringify(target) } }),
    ...(maxSize !== undefined && { maxSize }),
    ...(digest !== undefined && { digest }),
  });
}

/** Finishes an upload whose bytes are complete, or appends the body to an upload without bytes. */
async function receiveFirstBytes(context: RouteContext, request: FastifyRequest, created: Resumable): Promise<Resumable> {
  const upload = await reloadUpload(context, request, created);
  if (upload.offset === upload.length) return context.blobs.resumable.finish(upload, request.actor.credential);
  if (upload.offset > 0 || !hasUploadBody(request)) return upload;
  try {
    return await appendBody(context, request, upload, 0);
  } catch (cause) {
    if ((cause as Partial<BlobError>).code === 'STORAGE_FULL') await terminateIfEmpty(context, request, upload.id);
    throw cause;
  }
}

/** If other uploads used up the quota, an upload without bytes is deleted and the use of its token returned. */
async function terminateIfEmpty(context: RouteContext, request: FastifyRequest, id: string): Promise<void> {
  const { resumable } = context.blobs;
  const upload = await resumable.find(request.actor.storage, id);
  if (upload?.offset === 0) await resumable.terminate(upload);
}

/** Reads the name, the type and the options of `Upload-Metadata`. Other keys are ignored. */
function readMetadata(metadata: Map<string, string>): { name: string | undefined; contentType: string; fields: UploadFields } {
  const options = Object.keys(UploadFields.properties).flatMap((name) => {
    const value = metadata.get(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    name: metadata.get('filename') ?? metadata.get('name'),
    contentType: metadata.get('filetype') ?? metadata.get('type') ?? '',
    fields: parseFormFields(Object.fromEntries(options)),
  };
}
