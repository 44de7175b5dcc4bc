import { toErrorBody } from '../../src/protocol/error-response.js';
import { BlobError, validationError } from '../../src/protocol/errors.js';
import { safeReporter } from './page-errors.js';
import type { TokenRoute } from './route.js';

/** The part of Node's `IncomingMessage` that the handler uses. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  method?: string | undefined;
  url?: string | undefined;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  socket: object;
  /** The body as parsed by a framework such as Express. */
  body?: unknown;
}

/** The part of Node's `ServerResponse` that the handler uses. */
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

/** Options of `toNodeHandler`. */
export interface NodeHandlerOptions {
  /** Receives errors of the route or of the response object. @default console.error */
  onError?: (error: unknown) => unknown;
}

/**
 * Converts a request of Node. A body that a framework has parsed is converted back to JSON.
 * @throws TypeError if the `Host` header or the method is invalid
 */
function toRequest(incoming: NodeRequest, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (name.startsWith(':')) continue;
    for (const item of Array.isArray(value) ? value : [value]) if (item !== undefined) headers.append(name, item);
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
 * Joins the origin of the server and a request target. A target such as `//other` or `http://other/` does not change the origin.
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-3.2
 * @throws TypeError if the `Host` header contains more than a host
 */
function toAddress(origin: string, target: string): URL {
  const base = new URL(origin);
  if (base.href !== `${base.origin}/`) throw new TypeError('The Host header must be a host with an optional port.');
  if (target.startsWith('/')) return new URL(base.origin + target);
  // `*` and invalid targets become the root.
  const { pathname, search } = URL.canParse(target) ? new URL(target) : base;
  return new URL(base.origin + (pathname.startsWith('/') ? pathname : '/') + search);
}

/** Converts a body to a stream. It has no `cancel`, because destroying the request would close the socket before the response. */
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
    // The `Host` header or the method is invalid.
    return Response.json(toErrorBody(validationError('request', 'must have a valid method and Host header')), { status: 400 });
  }
}

/** Creates the response for a route that rejected. Routes of `createTokenRoute` never reject. */
const createFailureResponse = () =>
  Response.json(toErrorBody(new BlobError('INTERNAL_SERVER_ERROR', 'The upload could not be prepared.')), { status: 500 });

/** Returns whether a response was sent already, for example by a timeout, or the client has disconnected. */
const isResponseSent = ({ headersSent, writableEnded, destroyed }: NodeResponse): boolean =>
  headersSent === true || writableEnded === true || destroyed === true;

/**
 * Sends a response in one go, so that no other middleware can respond between its head and its body.
 * @throws the error of `writeHead` or `end`
 */
function send(outgoing: NodeResponse, response: Response, body: Uint8Array): void {
  if (isResponseSent(outgoing)) return;
  try {
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(body);
  } catch (error) {
    // The client would wait for the body.
    if (outgoing.headersSent === true) outgoing.destroy?.();
    throw error;
  }
}

/**
 * Mounts a token route on node:http, Express (`app.post('/upload-token', toNodeHandler(route))`) and other frameworks with Node's own
 * request and response. With Fastify, pass `request.raw` with `request.body` put on it.
 * The returned function never rejects. It sends nothing if another middleware, such as a timeout, has responded already.
 * @example createServer(toNodeHandler(createTokenRoute(minter, { authorize })));
 */
export function toNodeHandler(
  route: TokenRoute,
  options: NodeHandlerOptions = {},
): (incoming: NodeRequest, outgoing: NodeResponse) => Promise<void> {
  const report = safeReporter(options.onError ?? console.error);
  return async (incoming, outgoing) => {
    try {
      const disconnected = new AbortController();
      outgoing.once('close', () => disconnected.abort());
      const request = toRequestOr400(incoming, disconnected.signal);
      const response = request instanceof Response ? request : await route(request);
      send(outgoing, response, new Uint8Array(await response.arrayBuffer()));
    } catch (error) {
      report(error);
      try {
        const response = createFailureResponse();
        send(outgoing, response, new Uint8Array(await response.arrayBuffer()));
      } catch (secondError) {
        report(secondError);
        outgoing.destroy?.();
      }
    }
  };
}
