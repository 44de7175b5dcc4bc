import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { S3Error } from './errors.js';
import { endConnection, HEADERS_MS, KEEP_ALIVE_MS, TIMEOUT_CHECK_MS } from '../http/connections.js';
import { brokeOff, cutLater, incomingBytes } from '../http/minimum-rate.js';
import { errorAnswer, handle } from './handle.js';
import type { Answer, S3Service, Trace } from './service.js';

/**
 * The S3 endpoint on bare `node:http`: no framework between the socket and the signature. Listen on it with `.listen(port)`; `.close()` lets
 * running requests finish and closes each connection behind the one that runs on it.
 */
export function createS3Server(service: S3Service): Server {
  const server = createServer({
    requestTimeout: 0,
    headersTimeout: HEADERS_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
  });
  const serve = (expectsContinue: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    void answerRequest(service, server, request, response, expectsContinue);
  };
  server.on('request', serve(false));
  // The go-ahead is given when a command first reads the body, after signature and rights were judged.
  server.on('checkContinue', serve(true));
  server.on('clientError', refuseMalformed);
  return server;
}

async function answerRequest(
  service: S3Service,
  server: Server,
  request: IncomingMessage,
  response: ServerResponse,
  expectsContinue: boolean,
): Promise<void> {
  const started = performance.now();
  const id = randomBytes(8).toString('hex').toUpperCase();
  const gone = new AbortController();
  const trace: Trace = {};
  let opened: AsyncGenerator<Buffer> | undefined;
  service.began?.();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort(brokeOff());
  });
  // The reader of the body sees the failure of the socket; without a reader there is nobody to tell.
  request.on('error', () => undefined);
  const answer = await handle(
    service,
    {
      id,
      method: request.method ?? '',
      url: request.url ?? '/',
      rawHeaders: request.rawHeaders,
      peer: request.socket.remoteAddress ?? '',
      signal: gone.signal,
      body() {
        if (expectsContinue) response.writeContinue();
        return (opened = incomingBytes(request, service.minimumRate));
      },
    },
    trace,
  );
  let sent = 0;
  try {
    // A client that was not told to go on may send its body or not: what follows could be either.
    if (!server.listening || (expectsContinue && !opened)) response.setHeader('connection', 'close');
    // What was refused half-way has a reader still, who reads no more and lets nothing pass.
    void opened?.return(undefined).catch(() => {});
    cutLater(request, service.minimumRate);
    response.setHeader('date', new Date(service.now()).toUTCString());
    sent = await write(response, answer, id, request.method === 'HEAD');
    // Told to stop while the answer was on its way: its headers had promised to go on.
    if (!server.listening && request.complete) request.socket.destroySoon();
  } catch (error) {
    const left = gone.signal.aborted || (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (!left) trace.cause = error;
    response.destroy();
  }
  service.ended?.({
    requestId: id,
    method: request.method ?? '',
    command: trace.command,
    bucket: trace.bucket,
    key: trace.key,
    status: answer.status,
    code: trace.code,
    accessKeyId: trace.accessKeyId,
    received: Number(request.headers['content-length'] ?? 0),
    sent,
    milliseconds: performance.now() - started,
    ...(trace.cause !== undefined && { cause: trace.cause }),
  });
}

/** @returns the bytes of the body, as announced. */
async function write(response: ServerResponse, answer: Answer, id: string, isHead: boolean): Promise<number> {
  const { body } = answer;
  const headers: Record<string, string> = { 'x-amz-request-id': id, server: 'svc-blob', ...answer.headers };
  if (typeof body === 'string') {
    const bytes = Buffer.from(body);
    headers['content-type'] ??= 'application/xml';
    headers['content-length'] = String(bytes.length);
    response.writeHead(answer.status, headers);
    response.end(isHead ? undefined : bytes);
    return isHead ? 0 : bytes.length;
  }
  if (body === undefined || isHead) {
    if (answer.status !== 204 && answer.status !== 304) headers['content-length'] ??= '0';
    response.writeHead(answer.status, headers);
    response.end();
    return 0;
  }
  response.writeHead(answer.status, headers);
  await pipeline(body instanceof Readable ? body : Readable.from(body), response);
  return Number(headers['content-length'] ?? 0);
}

/** What the HTTP parser refuses: both lengths, doubled lengths, bare line feeds, oversized headers. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const failure =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? new S3Error('RequestTimeout')
      : new S3Error(
          'InvalidRequest',
          tooLarge ? 'Your request headers are too large.' : 'The request is not well-formed HTTP/1.1.',
        );
  const { body } = errorAnswer(failure, { id: randomBytes(8).toString('hex').toUpperCase(), method: '', url: '' });
  const bytes = Buffer.from(String(body));
  endConnection(
    socket,
    `HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: application/xml\r\nContent-Length: ${bytes.length}\r\n\r\n${bytes}`,
  );
}
