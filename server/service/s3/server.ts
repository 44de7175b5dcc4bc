import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { S3ServiceError } from './errors.js';
import { HEADERS_MS, KEEP_ALIVE_MS, TIMEOUT_CHECK_MS } from '../http/connections.js';
import { endConnection } from '../http/end-connection.js';
import { disconnectSignal } from '../http/disconnect-signal.js';
import { discardBody, readBody } from '../http/minimum-rate.js';
import { takeTraffic } from '../http/traffic.js';
import { handleRequest } from './handle-request.js';
import { errorResponse } from './messages/error-response.js';
import type { S3Response } from './command.js';
import type { IncomingRequest } from './messages/request.js';
import type { LogFields, S3LogEntry, S3Service } from './service.js';

/**
 * Creates the HTTP server of the S3 endpoint. It uses `node:http` directly, because signatures cover the request exactly as it was sent.
 * `close()` lets running requests finish and then closes their connections.
 */
export function createS3Server(service: S3Service): Server {
  const server = createServer({
    requestTimeout: 0,
    headersTimeout: HEADERS_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
  });
  const serve = (expectsContinue: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    void serveRequest(service, server, request, response, expectsContinue);
  };
  server.on('request', serve(false));
  // "100 Continue" is sent when a command first reads the body, after the checks of signature and permissions.
  server.on('checkContinue', serve(true));
  server.on('clientError', rejectMalformed);
  return server;
}

async function serveRequest(
  service: S3Service,
  server: Server,
  request: IncomingMessage,
  response: ServerResponse,
  expectsContinue: boolean,
): Promise<void> {
  const startedAt = performance.now();
  const id = randomBytes(8).toString('hex').toUpperCase();
  const disconnected = disconnectSignal(response);
  const logFields: LogFields = {};
  let openedBody: AsyncGenerator<Buffer> | undefined;
  service.onRequestStart?.();
  // The reader of the body gets socket errors. Without a reader, an unhandled error would end the process.
  request.on('error', () => undefined);
  const incoming: IncomingRequest = {
    id,
    method: request.method ?? '',
    url: request.url ?? '/',
    rawHeaders: request.rawHeaders,
    peer: request.socket.remoteAddress ?? '',
    signal: disconnected,
    body() {
      if (expectsContinue) response.writeContinue();
      return (openedBody = readBody(request, service.minimumRate));
    },
  };
  const result = await handleRequest(service, incoming, logFields);
  let sent = 0;
  try {
    // Without "100 Continue" the client may or may not send its body, so the next bytes are ambiguous.
    if (!server.listening || (expectsContinue && !openedBody)) response.setHeader('connection', 'close');
    // A request that failed half-way still has a reader, which would block the rest of the body.
    void openedBody?.return(undefined).catch(() => {});
    discardBody(request, service.minimumRate);
    response.setHeader('date', new Date(service.now()).toUTCString());
    sent = await writeResponse(response, result, id, request.method === 'HEAD');
    // If the server was stopped during the response, its headers still announced keep-alive.
    if (!server.listening && request.complete) request.socket.destroySoon();
  } catch (error) {
    const isDisconnected = disconnected.aborted || (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (!isDisconnected) logFields.cause = error;
    response.destroy();
  }
  const milliseconds = performance.now() - startedAt;
  service.onRequestEnd?.(logEntry(incoming, request, logFields, { status: result.status, sent, milliseconds }));
}

function logEntry(
  { id, method }: IncomingRequest,
  { headers, socket }: IncomingMessage,
  { command, bucket, key, code, accessKeyId, account, cause }: LogFields,
  outcome: Pick<S3LogEntry, 'status' | 'sent' | 'milliseconds'>,
): S3LogEntry {
  return {
    requestId: id,
    method,
    command,
    bucket,
    key,
    code,
    accessKeyId,
    account,
    traffic: takeTraffic(socket),
    received: Number(headers['content-length'] ?? 0),
    ...outcome,
    ...(cause !== undefined && { cause }),
  };
}

/** @returns the size of the body in bytes, by its Content-Length. */
async function writeResponse(response: ServerResponse, result: S3Response, id: string, isHead: boolean): Promise<number> {
  const { status, body } = result;
  const headers: Record<string, string> = { 'x-amz-request-id': id, server: 'svc-blob', ...result.headers };
  if (typeof body === 'string') {
    const bytes = Buffer.from(body);
    headers['content-type'] ??= 'application/xml';
    headers['content-length'] = String(bytes.length);
    response.writeHead(status, headers);
    response.end(isHead ? undefined : bytes);
    return isHead ? 0 : bytes.length;
  }
  if (body === undefined || isHead) {
    if (status !== 204 && status !== 304) headers['content-length'] ??= '0';
    response.writeHead(status, headers);
    response.end();
    return 0;
  }
  response.writeHead(status, headers);
  await pipeline(body instanceof Readable ? body : Readable.from(body), response);
  return Number(headers['content-length'] ?? 0);
}

/** Sends a response to requests that the HTTP parser rejects, for example with contradictory lengths, bare line feeds or oversized headers. */
function rejectMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  const { body } = errorResponse(parserError(error), { id: randomBytes(8).toString('hex').toUpperCase(), method: '', url: '' });
  const bytes = Buffer.from(String(body));
  endConnection(
    socket,
    `HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: application/xml\r\nContent-Length: ${bytes.length}\r\n\r\n${bytes}`,
  );
}

function parserError({ code }: NodeJS.ErrnoException): S3ServiceError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new S3ServiceError('RequestTimeout');
  if (code === 'HPE_HEADER_OVERFLOW') return new S3ServiceError('InvalidRequest', 'Your request headers are too large.');
  return new S3ServiceError('InvalidRequest', 'The request is not well-formed HTTP/1.1.');
}
