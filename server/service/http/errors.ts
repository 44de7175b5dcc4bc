import type { Actor } from '../identity/authenticate.js';
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest, FastifySchemaValidationError } from 'fastify';
import { BlobError, invalid, toErrorBody } from '../../../src/protocol/errors.js';
import { endConnection } from './connections.js';
import { storageFailure } from '../storage/failures.js';

/** The first broken rule, named by its field. */
export function schemaError(errors: FastifySchemaValidationError[], part: string): Error {
  const first = errors[0];
  if (!first) return invalid(part, 'is not valid');
  const missing = (first.params as { requiredProperties?: string[] }).requiredProperties?.[0];
  const unknown = (first.params as { additionalProperties?: string[] }).additionalProperties?.[0];
  const field = first.instancePath.split('/').filter(Boolean).join('.');
  const allowed = errors.flatMap(({ instancePath, params }) =>
    instancePath === first.instancePath && 'allowedValue' in params ? [JSON.stringify(params['allowedValue'])] : [],
  );
  if (allowed.length > 0) return invalid(field || part, `must be ${allowed.join(' or ')}`);
  if (missing !== undefined) return invalid([field, missing].filter(Boolean).join('.'), 'is required');
  if (unknown !== undefined || first.message === 'schema is false')
    return invalid(unknown ?? field, 'is no field of this request');
  return invalid(field || part, first.message ?? 'is not valid', first.params);
}

/** Whatever was thrown, as an error with a code. What nobody foresaw tells nothing of itself. */
export function asBlobError(error: unknown): BlobError {
  if (error instanceof BlobError) return error;
  const { code, statusCode, message } = error as Partial<FastifyError>;
  const failure = storageFailure(error);
  if (failure) return failure;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return invalid('body', 'is larger than a JSON body may be');
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return invalid('content-type', 'is malformed, or none that this address takes');
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new BlobError('VALIDATION_ERROR', message ?? 'The request is not valid.', { status: 400, path: 'body', cause: error });
  return new BlobError('INTERNAL_SERVER_ERROR', 'Something went wrong on our side.', { cause: error });
}

/** What the HTTP parser refuses has no request: the envelope goes out as it is. */
export function rejectMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? new BlobError('UPLOAD_TOO_SLOW', 'The headers of the request did not come in time.')
      : invalid('headers', error.code === 'HPE_HEADER_OVERFLOW' ? 'are too large' : 'are not well-formed');
  const body = JSON.stringify(toErrorBody(refusal));
  endConnection(
    socket,
    [
      `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
      'Connection: close',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${randomUUID()}`,
      '',
      body,
    ].join('\r\n'),
  );
}

/** Describe the bytes of a file, which an error does not send. */
const OF_THE_BYTES = ['Content-Disposition', 'Content-Encoding', 'Content-Length', 'Repr-Digest'];
/** Describe a file. A refused condition or range still states them. */
const OF_THE_FILE = [...OF_THE_BYTES, 'Accept-Ranges', 'Cache-Control', 'Content-Range', 'ETag', 'Last-Modified'];

/** An error as this request's credential may know it: a visitor with an upload token does not learn how much the account stores. */
export function redactError(error: unknown, { actor }: { actor?: Pick<Actor, 'token'> | undefined }): BlobError {
  const known = asBlobError(error);
  return known.code === 'STORAGE_FULL' && actor?.token
    ? new BlobError('STORAGE_FULL', 'The storage is full; nothing was stored.', { cause: known })
    : known;
}

/** Writes the error envelope. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = redactError(error, request);
  if (known.status >= 500) request.log.error({ err: error }, 'request failed');
  else request.log.info({ code: known.code, details: known.details }, 'request refused');
  const retryAfter = known.details['retry_after'];
  if (typeof retryAfter === 'number') reply.header('Retry-After', String(Math.ceil(retryAfter)));
  if (known.status === 401 && !reply.hasHeader('WWW-Authenticate')) reply.header('WWW-Authenticate', 'Bearer');
  for (const name of known.status >= 500 ? OF_THE_FILE : OF_THE_BYTES) reply.removeHeader(name);
  // A shared cache would keep one client's error as long as the file, and answer everybody with it.
  if (reply.hasHeader('Cache-Control')) reply.header('Cache-Control', 'no-store');
  void reply
    .code(known.status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(toErrorBody(known)));
}
