import type { Actor } from '../identity/authenticate.js';
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { toErrorBody } from '../../../src/protocol/error-response.js';
import { BlobError, validationError } from '../../../src/protocol/errors.js';
import { endConnection } from './end-connection.js';
import { storageFailure } from '../storage/storage-failure.js';

/** Converts any error to a BlobError. Unexpected errors become `INTERNAL_SERVER_ERROR`, whose message reveals nothing. */
export function asBlobError(error: unknown): BlobError {
  if (error instanceof BlobError) return error;
  const { code, statusCode, message } = error as Partial<FastifyError>;
  const failure = storageFailure(error);
  if (failure) return failure;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return validationError('body', 'must be at most 1 MiB of JSON');
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return validationError('content-type', 'must be a media type that this route accepts, such as application/json');
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new BlobError('VALIDATION_ERROR', message ?? 'The request is not valid.', { status: 400, path: 'body', cause: error });
  return new BlobError('INTERNAL_SERVER_ERROR', 'The service failed. Try again.', { cause: error });
}

/** Sends a response to requests that the HTTP parser rejects. They have no Fastify request, so the response is written to the socket. */
export function rejectMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const rejection =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? new BlobError('UPLOAD_TOO_SLOW', 'The headers of the request did not arrive in time.')
      : validationError('headers', error.code === 'HPE_HEADER_OVERFLOW' ? 'are too large' : 'are not well-formed');
  const body = JSON.stringify(toErrorBody(rejection));
  endConnection(
    socket,
    [
      `HTTP/1.1 ${rejection.status} ${STATUS_CODES[rejection.status]}`,
      'Connection: close',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${randomUUID()}`,
      '',
      body,
    ].join('\r\n'),
  );
}

/** Headers that describe the bytes of a response. Errors do not send the bytes of the file. */
const BODY_HEADERS = ['Content-Disposition', 'Content-Encoding', 'Content-Length', 'Repr-Digest'];
/** Headers that describe a file. Responses to a failed condition or range keep them. */
const FILE_HEADERS = [...BODY_HEADERS, 'Accept-Ranges', 'Cache-Control', 'Content-Range', 'ETag', 'Last-Modified'];

/** Removes details that the credential of a request may not learn: a visitor with an upload token must not learn how much an account stores. */
export function redactError(error: unknown, { actor }: { actor?: Pick<Actor, 'token'> | undefined }): BlobError {
  const blobError = asBlobError(error);
  if (blobError.code !== 'STORAGE_FULL' || !actor?.token) return blobError;
  return new BlobError('STORAGE_FULL', 'The storage is full, so nothing was stored.', { cause: blobError });
}

/** Sends an error as JSON. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const blobError = reportError(error, request, reply);
  void reply
    .code(blobError.status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(toErrorBody(blobError)));
}

/** Logs an error and sets the headers of its response. @returns the error that the client may learn */
export function reportError(error: unknown, request: FastifyRequest, reply: FastifyReply): BlobError {
  const blobError = redactError(error, request);
  if (blobError.status >= 500) request.log.error({ err: error }, 'request failed');
  else request.log.info({ code: blobError.code, details: blobError.details }, 'request refused');
  const retryAfter = blobError.details['retry_after'];
  if (typeof retryAfter === 'number') reply.header('Retry-After', String(Math.ceil(retryAfter)));
  if (blobError.status === 401 && !reply.hasHeader('WWW-Authenticate')) reply.header('WWW-Authenticate', 'Bearer');
  for (const name of blobError.status >= 500 ? FILE_HEADERS : BODY_HEADERS) reply.removeHeader(name);
  // Shared caches must not serve the error of one client to others.
  if (reply.hasHeader('Cache-Control')) reply.header('Cache-Control', 'no-store');
  return blobError;
}
