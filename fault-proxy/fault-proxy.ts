// Long because the faults touch every step of one exchange, and are read best beside it.
import { once } from 'node:events';
import { Agent, createServer, request as httpRequest } from 'node:http';
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** What is changed on the way. Header values: a string replaces, null removes. */
export interface Tamper {
  headers?: Readonly<Record<string, string | null>>;
  /** Inverts the byte at this offset of the body. */
  flipByteAt?: number;
  /** Replaces the whole body, which is buffered for it. */
  body?: (original: Buffer) => Buffer;
}

/** What happens to one request. Fields combine; offsets count bytes of the body. */
export interface Fault {
  /** Milliseconds before anything is forwarded. */
  delay?: number;
  /** Answers so, and forwards nothing: a Buffer as it is, anything else as JSON. Pages may read it: CORS headers are added. */
  answer?: { status: number; headers?: Readonly<Record<string, string>>; body?: unknown };
  /** Forwards so many bytes, then resets both connections. */
  cutRequestAt?: number;
  cutResponseAt?: number;
  /** Lets the upstream answer in full, then resets the client's connection instead of passing the answer on. */
  dropAnswer?: boolean;
  /** Forwards so many bytes, then nothing more, until the client gives up. */
  stallRequestAt?: number;
  stallResponseAt?: number;
  /** Slows the body down, in both directions. */
  bytesPerSecond?: number;
  /** Is waited for after so many bytes of the body, in both directions: one for several requests slows them down together. */
  pace?: (bytes: number) => Promise<unknown>;
  request?: Tamper;
  response?: Tamper;
}

/** One request as the proxy saw it. Byte counts are of bodies, without headers and framing. */
export interface SeenRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** Bytes forwarded to the upstream. */
  requestBytes: number;
  /** Bytes forwarded to the client. */
  responseBytes: number;
  /** The upstream's status, or the one answered in its stead; undefined when there was none. */
  status: number | undefined;
  /** Whether a fault was done to it. */
  faulted: boolean;
  /** `broken` when the client got no whole answer. */
  outcome: 'open' | 'answered' | 'broken';
}

export interface Rule {
  /** A method matches exactly, a path as a prefix or a pattern. Preflights (OPTIONS) match only where the method says so. */
  method?: string;
  path?: string | RegExp;
  when?: (request: SeenRequest) => boolean;
  fault: Fault | ((request: SeenRequest) => Fault);
  /** Matching requests let through first. @default 0 */
  skip?: number;
  /** Matching requests it strikes after those. @default all */
  times?: number;
}

export interface ActiveRule {
  /** Requests it struck. */
  readonly hits: number;
  remove(): void;
}

export interface FaultProxy {
  readonly url: string;
  readonly port: number;
  /** In order of arrival, the oldest first; the last `keep` of them. */
  readonly requests: readonly SeenRequest[];
  /** Every rule that matches adds its fault; where two say the same field, the later rule wins. */
  on(rule: Rule): ActiveRule;
  /** Resets every connection, open or new, until `online()`. */
  offline(): void;
  online(): void;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

class Cut extends Error {}

/**
 * Resets a connection. One whose end the client announced before is being closed already, and cannot be reset: Node would fail to, and
 * never say that it is gone.
 */
function cut(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'proxy-connection', 'upgrade']);

/** Raw headers, flat as Node takes them, without what concerns one connection only and with what is tampered. */
function forwarded(raw: readonly string[], tamper: Tamper | undefined): string[] {
  const changes = new Map(Object.entries(tamper?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  const out: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase();
    const resized = tamper?.body && (name === 'content-length' || name === 'transfer-encoding');
    if (!HOP_BY_HOP.has(name) && !changes.has(name) && !resized) out.push(raw[i]!, raw[i + 1]!);
  }
  for (const [name, value] of changes) if (value !== null) out.push(name, value);
  return out;
}

interface Flow {
  cutAt: number | undefined;
  stallAt: number | undefined;
  rate: number | undefined;
  pace: Fault['pace'];
  tamper: Tamper | undefined;
  /** Resolves when the client has gone. */
  gone: Promise<unknown>;
  /** The sink needs no more. The rest is read and dropped: a browser sends all of it before it reads an early answer. */
  over?: () => boolean;
  count(bytes: number): void;
}

/** Passes a body on under its faults. @throws Cut where it is to be cut. */
async function flow(
  source: AsyncIterable<Buffer>,
  sink: Writable,
  { cutAt, stallAt, rate, pace, tamper, gone, over = () => false, count }: Flow,
) {
  const end = Math.min(cutAt ?? Infinity, stallAt ?? Infinity);
  const flip = tamper?.flipByteAt ?? -1;
  let passed = 0;
  const stop = async (): Promise<never> => {
    if (stallAt !== undefined && end === stallAt) await gone;
    throw new Cut();
  };
  if (end === 0) await stop();
  for await (const whole of source) {
    if (over()) continue;
    const chunk = Buffer.from(whole.subarray(0, Math.min(whole.length, end - passed)));
    if (flip >= passed && flip < passed + chunk.length) chunk[flip - passed] = ~chunk[flip - passed]! & 0xff;
    // Handed to the kernel before anything is cut, so that the other side really has these bytes.
    await new Promise<void>((resolve, reject) => {
      sink.write(chunk, (error) => (error && !over() ? reject(error) : resolve()));
    });
    passed += chunk.length;
    count(chunk.length);
    if (rate !== undefined) await sleep((chunk.length / rate) * 1000);
    await pace?.(chunk.length);
    if (passed >= end) await stop();
  }
  if (end !== Infinity) await stop();
  sink.end();
}

/** The body as it stands, or buffered and replaced. */
async function* tampered(source: AsyncIterable<Buffer>, tamper: Tamper | undefined): AsyncGenerator<Buffer> {
  if (!tamper?.body) {
    yield* source;
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(chunk);
  yield tamper.body(Buffer.concat(chunks));
}

function matches(rule: Rule, seen: SeenRequest): boolean {
  if (rule.method === undefined ? seen.method === 'OPTIONS' : seen.method !== rule.method) return false;
  if (typeof rule.path === 'string' && !seen.path.startsWith(rule.path)) return false;
  if (rule.path instanceof RegExp && !rule.path.test(seen.path)) return false;
  return rule.when?.(seen) ?? true;
}

function answer(seen: SeenRequest, response: ServerResponse, { status, headers, body }: NonNullable<Fault['answer']>): void {
  const { origin } = seen.headers;
  const cors =
    origin === undefined ? {} : { 'access-control-allow-origin': origin, 'access-control-expose-headers': '*, retry-after' };
  seen.status = status;
  response.writeHead(status, { 'content-type': 'application/json', ...cors, ...headers });
  response.end(body === undefined ? '' : Buffer.isBuffer(body) ? body : JSON.stringify(body));
}

export interface FaultProxyOptions {
  port?: number;
  host?: string;
  keep?: number;
  onRefused?: () => void;
}

/**
 * A proxy that breaks what it forwards, as told. The Host header stays the client's, so signatures over it hold.
 * @param target `http://host:port` of the upstream
 * @param options port 0: a free one; `onRefused` hears of every connection that is refused while offline
 */
export async function startFaultProxy(
  target: string,
  { port = 0, host = '127.0.0.1', keep = Infinity, onRefused }: FaultProxyOptions = {},
): Promise<FaultProxy> {
  const upstream = new URL(target);
  const agent = new Agent({ keepAlive: true });
  const rules = new Set<{ rule: Rule; seen: number; hits: number }>();
  const requests: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  let offline = false;

  function faultFor(seen: SeenRequest): Fault {
    const fault: Fault = {};
    for (const active of rules) {
      const { rule } = active;
      if (!matches(rule, seen)) continue;
      const turn = active.seen++ - (rule.skip ?? 0);
      if (turn < 0 || turn >= (rule.times ?? Infinity)) continue;
      active.hits++;
      Object.assign(fault, typeof rule.fault === 'function' ? rule.fault(seen) : rule.fault);
    }
    seen.faulted = Object.keys(fault).length > 0;
    return fault;
  }

  async function forward(incoming: IncomingMessage, outgoing: ServerResponse, seen: SeenRequest): Promise<void> {
    const fault = faultFor(seen);
    if (fault.delay !== undefined) await sleep(fault.delay);
    if (fault.answer) return answer(seen, outgoing, fault.answer);
    const gone = once(outgoing, 'close');
    const onward: ClientRequest = httpRequest({
      agent,
      host: upstream.hostname,
      port: upstream.port,
      method: seen.method,
      path: seen.path,
      headers: forwarded(incoming.rawHeaders, fault.request),
    });
    void gone.then(() => onward.destroy());
    const answered = once(onward, 'response') as Promise<[IncomingMessage]>;
    const sent = flow(tampered(incoming, fault.request), onward, {
      cutAt: fault.cutRequestAt,
      stallAt: fault.stallRequestAt,
      rate: fault.bytesPerSecond,
      pace: fault.pace,
      tamper: fault.request,
      gone,
      over: () => seen.status !== undefined,
      count: (bytes) => (seen.requestBytes += bytes),
    });
    // An upstream may answer, and close, before it has read everything: then its answer is what counts.
    const [response] = await Promise.race([answered, sent.then(() => answered)]);
    sent.catch(() => {});
    seen.status = response.statusCode;
    if (fault.dropAnswer) {
      for await (const _ of response);
      throw new Cut();
    }
    outgoing.writeHead(response.statusCode!, forwarded(response.rawHeaders, fault.response));
    await flow(tampered(response, fault.response), outgoing, {
      cutAt: fault.cutResponseAt,
      stallAt: fault.stallResponseAt,
      rate: fault.bytesPerSecond,
      pace: fault.pace,
      tamper: fault.response,
      gone,
      count: (bytes) => (seen.responseBytes += bytes),
    });
  }

  const server = createServer({ requestTimeout: 0 }, (incoming, outgoing) => {
    // The socket is held on to: Node takes it from a request whose reading ends early.
    const { method = 'GET', url: path = '/', headers, socket } = incoming;
    const seen: SeenRequest = {
      method,
      path,
      headers,
      requestBytes: 0,
      responseBytes: 0,
      status: undefined,
      faulted: false,
      outcome: 'open',
    };
    requests.push(seen);
    if (requests.length > keep) requests.shift();
    outgoing.once('close', () => (seen.outcome = outgoing.writableFinished ? 'answered' : 'broken'));
    // Whatever goes wrong on the way, cut on purpose or not, the client sees as a connection that broke.
    forward(incoming, outgoing, seen).catch(() => cut(socket));
  });
  server.on('connection', (socket: Socket) => {
    if (offline) {
      cut(socket);
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
    on(rule) {
      const active = { rule, seen: 0, hits: 0 };
      rules.add(active);
      return {
        get hits() {
          return active.hits;
        },
        remove: () => void rules.delete(active),
      };
    },
    offline() {
      offline = true;
      for (const socket of sockets) cut(socket);
    },
    online() {
      offline = false;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
