import { once } from 'node:events';
import { Agent, createServer, request as httpRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { changedBody, ConnectionCut, forwardBody } from './forward-body.js';
import type { ActiveRule, Changes, Fault, OwnResponse, Rule, SeenRequest } from './types.js';

export type { ActiveRule, Changes, Fault, OwnResponse, Rule, SeenRequest } from './types.js';

/** A running proxy. */
export interface FaultProxy {
  readonly url: string;
  readonly port: number;
  /** Requests in order of arrival, at most the last `keep`. */
  readonly requests: readonly SeenRequest[];
  /** Adds a rule. Every matching rule adds its fault; for the same field, the later rule wins. */
  on(rule: Rule): ActiveRule;
  /** Resets every open and new connection until `online()`. */
  offline(): void;
  online(): void;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Options of `startFaultProxy`. */
export interface FaultProxyOptions {
  /** @default a free port */
  port?: number;
  /** @default "127.0.0.1" */
  host?: string;
  /** Number of requests in `requests`. @default all */
  keep?: number;
  /** Called for every connection that is refused while offline. */
  onRefused?: () => void;
}

/** The rules of a proxy, and how often each applied. */
class Rules {
  readonly #rules = new Set<{ rule: Rule; matched: number; hits: number }>();

  add(rule: Rule): ActiveRule {
    const active = { rule, matched: 0, hits: 0 };
    this.#rules.add(active);
    return {
      get hits() {
        return active.hits;
      },
      remove: () => void this.#rules.delete(active),
    };
  }

  /** Combines the faults of all matching rules. */
  faultFor(seen: SeenRequest): Fault {
    const fault: Fault = {};
    for (const active of this.#rules) {
      const { rule } = active;
      if (!matches(rule, seen)) continue;
      const index = active.matched++ - (rule.skip ?? 0);
      if (index < 0 || index >= (rule.times ?? Infinity)) continue;
      active.hits++;
      Object.assign(fault, typeof rule.fault === 'function' ? rule.fault(seen) : rule.fault);
    }
    return fault;
  }
}

function matches(rule: Rule, seen: SeenRequest): boolean {
  if (rule.method === undefined ? seen.method === 'OPTIONS' : seen.method !== rule.method) return false;
  if (typeof rule.path === 'string' && !seen.path.startsWith(rule.path)) return false;
  if (rule.path instanceof RegExp && !rule.path.test(seen.path)) return false;
  return rule.when?.(seen) ?? true;
}

/**
 * Starts a proxy that breaks requests as its rules say. It keeps the `Host` header of the client, so signatures over it hold.
 * @param target `http://host:port` of the upstream
 */
export async function startFaultProxy(
  target: string,
  { port = 0, host = '127.0.0.1', keep = Infinity, onRefused }: FaultProxyOptions = {},
): Promise<FaultProxy> {
  const upstream = new URL(target);
  const agent = new Agent({ keepAlive: true });
  const rules = new Rules();
  const requests: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  let isOffline = false;

  const server = createServer({ requestTimeout: 0 }, (incoming, outgoing) => {
    // Node removes the socket from a request whose reading ends early, so it is read here.
    const { socket } = incoming;
    const seen = describeRequest(incoming);
    requests.push(seen);
    if (requests.length > keep) requests.shift();
    outgoing.once('close', () => (seen.outcome = outgoing.writableFinished ? 'completed' : 'broken'));
    // The client sees every failure, on purpose or not, as a broken connection.
    exchange({ incoming, outgoing, seen, rules, upstream, agent }).catch(() => resetConnection(socket));
  });
  server.on('connection', (socket: Socket) => {
    if (isOffline) {
      resetConnection(socket);
      onRefused?.();
    }
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;

  const close = async () => {
    for (const socket of sockets) socket.destroy();
    agent.destroy();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  return {
    url: `http://${host}:${address.port}`,
    port: address.port,
    requests,
    on: (rule) => rules.add(rule),
    offline() {
      isOffline = true;
      for (const socket of sockets) resetConnection(socket);
    },
    online() {
      isOffline = false;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function describeRequest({ method = 'GET', url: path = '/', headers }: IncomingMessage): SeenRequest {
  const counts = { requestBytes: 0, responseBytes: 0, status: undefined };
  return { method, path, headers, ...counts, faulted: false, outcome: 'open' };
}

/** Resets a connection. Node cannot reset a connection that it is already closing. */
function resetConnection(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

interface Exchange {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  seen: SeenRequest;
  rules: Rules;
  upstream: URL;
  agent: Agent;
}

/** Forwards a request and its response, with the fault that the rules give it. @throws ConnectionCut */
async function exchange({ incoming, outgoing, seen, rules, upstream, agent }: Exchange): Promise<void> {
  const fault = rules.faultFor(seen);
  seen.faulted = Object.keys(fault).length > 0;
  if (fault.delay !== undefined) await sleep(fault.delay);
  if (fault.respond) return respond(seen, outgoing, fault.respond);
  const clientClosed = once(outgoing, 'close');
  const upstreamRequest = httpRequest({
    agent,
    host: upstream.hostname,
    port: upstream.port,
    method: seen.method,
    path: seen.path,
    headers: forwardedHeaders(incoming.rawHeaders, fault.request),
  });
  void clientClosed.then(() => upstreamRequest.destroy());
  const responded = once(upstreamRequest, 'response') as Promise<[IncomingMessage]>;
  const { bytesPerSecond, beforeChunk } = fault;
  const sent = forwardBody(changedBody(incoming, fault.request), upstreamRequest, {
    cutAt: fault.cutRequestAt,
    stallAt: fault.stallRequestAt,
    bytesPerSecond,
    beforeChunk,
    changes: fault.request,
    clientClosed,
    isDone: () => seen.status !== undefined,
    count: (bytes) => (seen.requestBytes += bytes),
  });
  // The upstream may respond and close before it has read the whole request. Its response counts then.
  const [response] = await Promise.race([responded, sent.then(() => responded)]);
  sent.catch(() => {});
  seen.status = response.statusCode;
  if (fault.dropResponse) {
    for await (const _ of response);
    throw new ConnectionCut();
  }
  outgoing.writeHead(response.statusCode!, forwardedHeaders(response.rawHeaders, fault.response));
  await forwardBody(changedBody(response, fault.response), outgoing, {
    cutAt: fault.cutResponseAt,
    stallAt: fault.stallResponseAt,
    bytesPerSecond,
    beforeChunk,
    changes: fault.response,
    clientClosed,
    count: (bytes) => (seen.responseBytes += bytes),
  });
}

function respond(seen: SeenRequest, outgoing: ServerResponse, { status, headers, body }: OwnResponse): void {
  const { origin } = seen.headers;
  const cors =
    origin === undefined ? {} : { 'access-control-allow-origin': origin, 'access-control-expose-headers': '*, retry-after' };
  seen.status = status;
  outgoing.writeHead(status, { 'content-type': 'application/json', ...cors, ...headers });
  if (body === undefined) outgoing.end();
  else outgoing.end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
}

const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'proxy-connection', 'upgrade']);

/** @returns raw headers, as Node takes them, without hop-by-hop headers and with the changes applied */
function forwardedHeaders(raw: readonly string[], changes: Changes | undefined): string[] {
  const changed = new Map(Object.entries(changes?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  const headers: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]!.toLowerCase();
    const isResized = changes?.body && (name === 'content-length' || name === 'transfer-encoding');
    if (!HOP_BY_HOP.has(name) && !changed.has(name) && !isResized) headers.push(raw[index]!, raw[index + 1]!);
  }
  for (const [name, value] of changed) if (value !== null) headers.push(name, value);
  return headers;
}
