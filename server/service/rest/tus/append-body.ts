import type { FastifyRequest } from 'fastify';
import { BlobError } from '../../../../src/protocol/errors.js';
import type { Resumable } from '../../storage/blob-storage.js';
import type { RouteContext } from '../context.js';
import { contentLength, requestBody } from '../request-body.js';
import { parseReprDigest } from '../upload/upload-headers.js';
import { getHeader, parseUploadChecksum } from './tus-headers.js';

/** Appends the body of a request to an upload. @returns the upload, with its file after the last byte. @throws `BLOB_FILE_TOO_LARGE`, `CHECKSUM_MISMATCH`. */
export async function appendBody(
  context: RouteContext,
  request: FastifyRequest,
  upload: Resumable,
  offset: number,
): Promise<Resumable> {
  const size = contentLength(request);
  if (size !== undefined && offset + size > upload.length)
    throw new BlobError(
      'BLOB_FILE_TOO_LARGE',
      `The body must end at Upload-Length ${upload.length}; got ${offset + size} bytes.`,
      {
        details: { max_size: upload.length },
      },
    );
  const checksum = parseUploadChecksum(getHeader(request, 'upload-checksum'));
  const digest = parseReprDigest(getHeader(request, 'repr-digest'));
  return context.blobs.resumable.append(upload, requestBody(context, request), {
    credential: request.actor.credential,
    offset,
    ...(checksum && { checksum }),
    ...(digest && { digest }),
  });
}
