import type { FastifyRequest } from 'fastify';
import { BlobError, validationError } from '../../../../src/protocol/errors.js';
import { parseFileOptions } from '../../../../src/protocol/file-options.js';
import { FILE } from '../../../../src/protocol/limits.js';
import { DEFAULT_MEDIA_TYPE, parseMediaType } from '../../../../src/protocol/media-type.js';
import { writeConditionsOf } from '../../http/conditional-requests.js';
import type { Body, BodySummary, PutResult } from '../../storage/blob-storage.js';
import { placeForKey, placeForToken } from '../../storage/uploads/placement.js';
import type { Placement, UploadTarget } from '../../storage/uploads/placement.js';
import type { RouteContext } from '../context.js';
import { parseMetadataField } from './upload-fields.js';
import type { UploadFields } from './upload-fields.js';
import { parseIdempotencyKey, parseReprDigest } from './upload-headers.js';
import type { UploadHeaders } from './upload-headers.js';

/** An upload of one file, by any route. */
export interface IncomingUpload {
  target: UploadTarget;
  fields: UploadFields;
  contentType: string;
  body: Body;
  /** Announced bytes; omitted if unknown. */
  size?: number;
  /** Largest accepted size in bytes, beyond the limits of token and folder. */
  maxSize?: number;
  /** Name of the request, the same in a repeat with its idempotency key. @default the target */
  idempotencyName?: string;
  headers: UploadHeaders;
  /** Awaited between the last byte and the commit. An error rejects the upload. */
  beforeCommit?: (summary: BodySummary) => void | Promise<void>;
  signal: AbortSignal;
}

/**
 * Determines the path and the properties of the new file. An upload token restricts both.
 * @throws `VALIDATION_ERROR`, `INVALID_PATH`, `BLOB_UPLOAD_TOKEN_CONSTRAINT`, `BLOCKED_FILE_TYPE`.
 */
export function resolveUpload(
  context: RouteContext,
  { actor }: FastifyRequest,
  { target, fields, contentType }: Pick<IncomingUpload, 'target' | 'fields' | 'contentType'>,
): Placement {
  const metadata = parseMetadataField(fields.metadata);
  const { metadata: _, overwrite, path: __, prefix: ___, ...options } = fields;
  const requested = {
    target,
    properties: {
      contentType: validateContentType(contentType),
      ...parseFileOptions({ ...options, ...(metadata && { metadata }) }, context.now()),
    },
    ...(overwrite !== undefined && { overwrite }),
  };
  return actor.token ? placeForToken(actor.token.record, requested) : placeForKey(requested);
}

/** Stores one file. */
export async function storeUpload(context: RouteContext, request: FastifyRequest, upload: IncomingUpload): Promise<PutResult> {
  const { actor } = request;
  const { target, headers, beforeCommit, idempotencyName = JSON.stringify(target) } = upload;
  const placement = resolveUpload(context, request, upload);
  const idempotencyKey = parseIdempotencyKey(headers['idempotency-key']);
  const expectedDigest = parseReprDigest(headers['repr-digest']);
  return context.blobs.put(actor.storage, placement.key, upload.body, {
    ...placement.properties,
    credential: actor.credential,
    overwrite: placement.overwrite,
    ...writeConditionsOf(headers),
    ...(upload.size !== undefined && { size: upload.size }),
    maxSize: Math.min(placement.maxSize ?? FILE.maxBytes, upload.maxSize ?? FILE.maxBytes),
    ...(idempotencyKey !== undefined && { idempotency: { key: idempotencyKey, name: idempotencyName } }),
    check: async (summary) => {
      await beforeCommit?.(summary);
      if (expectedDigest !== undefined) assertDigest(expectedDigest, summary);
    },
    signal: upload.signal,
  });
}

/** Refuses a form without a chosen file: a browser sends an empty part without a name if no file was chosen. @throws `NO_FILE_UPLOADED` */
export function assertFileChosen(name: string | undefined, { size }: BodySummary): void {
  if (!name && size === 0) throw new BlobError('NO_FILE_UPLOADED', 'The part "file" has neither a name nor content.');
}

function assertDigest(expected: string, { sha256 }: BodySummary): void {
  if (expected !== sha256)
    throw new BlobError('CHECKSUM_MISMATCH', `The SHA-256 of the received bytes is ${sha256}; Repr-Digest states ${expected}.`, {
      details: { expected, actual: sha256 },
    });
}

/** @param contentType of the client; empty if it sent none. @throws `VALIDATION_ERROR` */
function validateContentType(contentType: string): string {
  if (contentType === '') return DEFAULT_MEDIA_TYPE;
  if (!parseMediaType(contentType))
    throw validationError('content-type', 'must be a media type of at most 255 characters, such as image/png');
  return contentType;
}
