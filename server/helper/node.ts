import { invalid, toErrorBody } from '../../src/protocol/errors.js';
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
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body: Uint8Array): unknown;
  once(event: 'close', listener: () => void): unknown;
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
  const address = new URL(incoming.url ?? '/', `${scheme}://${String(host)}`);
  const method = incoming.method ?? 'GET';
  if (method === 'GET' || method === 'HEAD') return new Request(address, { method, headers, signal });
  const body = incoming.body === undefined ? toStream(incoming) : JSON.stringify(incoming.body);
  return new Request(address, { method, headers, body, signal, duplex: 'half' } as RequestInit);
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
    return Response.json(toErrorBody(invalid('request', 'must be well-formed')), { status: 400 });
  }
}

/**
 * Mounts a token route on node:http, Express (`app.post('/upload-token', toNodeHandler(route))`) and whatever hands on Node's own
 * request and response. With Fastify, pass `request.raw` with `request.body` put on it.
 */
export function toNodeHandler(route: TokenRoute): (incoming: NodeRequest, outgoing: NodeResponse) => Promise<void> {
  return async (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) gone.abort();
    });
    const request = toRequestOr400(incoming, gone.signal);
    const response = request instanceof Response ? request : await route(request);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(new Uint8Array(await response.arrayBuffer()));
  };
}
