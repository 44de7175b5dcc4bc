import { BlobError, validationError, toErrorBody } from '../../src/protocol/errors.js';
import { safeReporter } from './page-errors.js';
import type { TokenRoute } from './route.js';

/** As much of Node's `IncomingMessage` as is needed; Express and Fastify add what their body parsers made of the body. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  method?: string | undefined;
  url?: string | undefined;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  socket: object;
  body?: unknown;
}

/** As much of Node's `ServerResponse` as is needed. */
export interface NodeResponse {
  readonly writableFinished: boolean;
  readonly headersSent?: boolean;
  readonly writableEnded?: boolean;
  readonly destroyed?: boolean;
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body: Uint8Array): unknown;
  once(event: 'close', listener: () => void): unknown;
  destroy?(): unknown;
}

export interface NodeHandlerOptions {
  /** Receives errors of the route or of the response object. @default console.error */
  onError?: (error: unknown) => unknown;
}

/** A route's Request made of Node's. A body that a framework has parsed is put back into JSON. @throws TypeError */
function toRequest(incoming: NodeRequest, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (name.startsWith(':')) continue;
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) headers.append(name, one);
  }
  const scheme = 'encrypted' in incoming.socket && incoming.socket.encrypted ? 'https' : 'http';
  const host = headers.get('host') ?? incoming.headers[':authority'] ?? 'localhost';
  const address = toAddress(`${scheme}://${String(host)}`, incoming.url ?? '/');
  const method = incoming.method ?? 'GET';
  if (method === 'GET' || method === 'HEAD') return new Request(address, { method, headers, signal });
  const body = incoming.body === undefined ? toStream(incoming) : JSON.stringify(incoming.body);
  return new Request(address, { method, headers, body, signal, duplex: 'half' } as RequestInit);
}

/**
 * Joins the mount's origin and a request target. A target such as `//other` or `http://other/` never decides the origin.
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-3.2
 * @throws TypeError if the origin is more than a host
 */
function toAddress(origin: string, target: string): URL {
  const base = new URL(origin);
  if (base.href !== `${base.origin}/`) throw new TypeError('The Host header must be a host.');
  if (target.startsWith('/')) return new URL(base.origin + target);
  // `*`, and what is no address, stand for the root.
  const { pathname, search } = URL.canParse(target) ? new URL(target) : base;
  return new URL(base.origin + (pathname.startsWith('/') ? pathname : '/') + search);
}

/** Cancelling leaves the rest unread: destroying the request would take the socket with it, and the answer. */
function toStream(incoming: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const chunks = incoming[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

function toRequestOr400(incoming: NodeRequest, signal: AbortSignal): Request | Response {
  try {
    return toRequest(incoming, signal);
  } catch {
    // A Host header or a method that no Request can have.
    return Response.json(toErrorBody(validationError('request', 'must be well-formed')), { status: 400 });
  }
}

/** The answer to a request whose route failed. A `TokenRoute` of `createTokenRoute` never does. */
const createFailureResponse = () =>
  Response.json(toErrorBody(new BlobError('INTERNAL_SERVER_ERROR', 'The upload could not be prepared.')), { status: 500 });

/** Whether nothing can be sent any more: a timeout has answered, or the client has left. */
const isResponseSent = ({ headersSent, writableEnded, destroyed }: NodeResponse): boolean =>
  headersSent === true || writableEnded === true || destroyed === true;

/** Sends a response at once, so that no other middleware can answer between its head and its body. @throws as `writeHead` does */
function send(outgoing: NodeResponse, response: Response, body: Uint8Array): void {
  if (isResponseSent(outgoing)) return;
  try {
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(body);
  } catch (error) {
    // A head without its body would leave the client waiting.
    if (outgoing.headersSent === true) outgoing.destroy?.();
    throw error;
  }
}

/**
 * Mounts a token route on node:http, Express (`app.post('/upload-token', toNodeHandler(route))`) and other frameworks with Node's own
 * request and response. With Fastify, pass `request.raw` with `request.body` put on it.
 * The returned function never rejects. If another middleware has answered meanwhile, such as a timeout, it sends nothing.
 */
export function toNodeHandler(
  route: TokenRoute,
  options: NodeHandlerOptions = {},
): (incoming: NodeRequest, outgoing: NodeResponse) => Promise<void> {
  const report = safeReporter(options.onError ?? console.error);
  return async (incoming, outgoing) => {
    try {
      const gone = new AbortController();
      outgoing.once('close', () => gone.abort());
      const request = toRequestOr400(incoming, gone.signal);
      const response = request instanceof Response ? request : await route(request);
      send(outgoing, response, new Uint8Array(await response.arrayBuffer()));
    } catch (error) {
      report(error);
      try {
        const response = createFailureResponse();
        send(outgoing, response, new Uint8Array(await response.arrayBuffer()));
      } catch (second) {
        report(second);
        outgoing.destroy?.();
      }
    }
  };
}
