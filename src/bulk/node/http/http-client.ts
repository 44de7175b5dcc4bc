import { setMaxListeners } from 'node:events';
import type { ConnectionOptions } from 'node:tls';
import { Pace } from '../../transfer/rate-limit.js';
import type { Wire, WireAnswer, WireRequest } from '../../http/http-client.js';
import { Connection } from './connection.js';
import type { ConnectionHost } from './connection.js';
import type { Route } from './open-socket.js';
import type { ProxyChoice } from './proxy.js';
import { openTunnel } from './tunnel.js';

export interface NodeWireOptions {
  /** Bytes a second, both ways together. */
  bandwidth?: number;
  /** Seconds without a byte after which a request fails. @default 60 */
  stallSeconds?: number;
  /** Trusted authorities in PEM, beside or instead of Node's own, and what else is said of connections; read once. */
  tls?: ConnectionOptions;
  /** Which proxy to go through, such as `proxyFromEnvironment(process.env)`. @default none */
  proxy?: ProxyChoice;
}

const READ_BUFFER = 256 * 1024;
const HEAD_BUFFER = 16 * 1024;

/**
 * HTTP/1.1 straight on sockets: kept-alive connections, one system call for a small request, bodies never copied, one
 * read buffer for what nobody has room for. `node:http` costs two to three times the CPU of a small PUT.
 */
export class NodeWire implements Wire {
  readonly isLiteral = true;
  readonly #idle = new Map<string, Connection[]>();
  readonly #all = new Set<Connection>();
  readonly #host: ConnectionHost;
  readonly #stall: number;
  readonly #proxy: ProxyChoice;
  /** Goes as long as there are connections. */
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  /** The signals of requests under way, and what hears each of them, once for all. */
  readonly #watched = new Map<AbortSignal, () => void>();

  constructor(options: NodeWireOptions = {}) {
    this.#stall = options.stallSeconds ?? 60;
    this.#proxy = options.proxy ?? (() => undefined);
    const readBuffer = new Uint8Array(READ_BUFFER);
    this.#host = {
      pace: new Pace(options.bandwidth),
      tls: options.tls ?? {},
      readBuffer,
      headBuffer: readBuffer.subarray(0, HEAD_BUFFER),
      tick: 0,
      watch: (signal) => this.#watch(signal),
      idle: (connection) => this.#rest(connection),
      gone: (connection) => this.#forget(connection),
    };
  }

  send(request: WireRequest): Promise<WireAnswer> {
    const kept = this.#idle.get(keyOf(request.origin))?.pop();
    if (kept) return kept.run(request);
    const proxy = this.#proxy(request.origin);
    if (proxy === undefined) return this.#begin(request, {});
    return request.origin.secure ? this.#tunnelled(request, proxy) : this.#begin(request, { proxy });
  }

  #begin(request: WireRequest, route: Route): Promise<WireAnswer> {
    const connection = new Connection(request.origin, this.#host, route);
    this.#all.add(connection);
    this.#timer ??= setInterval(() => this.#tick(), 1000).unref();
    return connection.run(request);
  }

  #tick(): void {
    this.#host.tick++;
    for (const connection of this.#all) connection.checkStall(this.#stall);
    this.#unwatch();
  }

  async #tunnelled(request: WireRequest, proxy: URL): Promise<WireAnswer> {
    const { signal } = request;
    // Requests wait for their connections by the hundred, all on one signal.
    this.#watch(signal);
    const tunnel = await openTunnel(proxy, request.origin, { tls: this.#host.tls, seconds: this.#stall, signal });
    return this.#begin(request, { tunnel });
  }

  close(): void {
    this.#closed = true;
    for (const list of this.#idle.values()) for (const connection of list) connection.destroy();
    this.#idle.clear();
    this.#unwatch();
  }

  #watch(signal: AbortSignal): void {
    if (this.#watched.has(signal)) return;
    const stop = (): void => this.#all.forEach((connection) => connection.abort(signal));
    this.#watched.set(signal, stop);
    // Pauses and limits listen to it as well, hundreds at a time: no leak.
    setMaxListeners(0, signal);
    signal.addEventListener('abort', stop, { once: true });
  }

  /** Hears those no more by which nothing goes: Node keeps a signal that was made of others as long as it is listened to. */
  #unwatch(): void {
    const inUse = new Set<AbortSignal | undefined>();
    for (const connection of this.#all) inUse.add(connection.signal);
    for (const [signal, stop] of this.#watched) {
      if (inUse.has(signal)) continue;
      signal.removeEventListener('abort', stop);
      this.#watched.delete(signal);
    }
  }

  #rest(connection: Connection): void {
    if (this.#closed) return connection.destroy();
    const key = keyOf(connection.origin);
    const list = this.#idle.get(key);
    if (list) list.push(connection);
    else this.#idle.set(key, [connection]);
    return undefined;
  }

  #forget(connection: Connection): void {
    this.#all.delete(connection);
    if (this.#all.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#unwatch();
    }
    const list = this.#idle.get(keyOf(connection.origin));
    const at = list?.indexOf(connection) ?? -1;
    if (at >= 0) list!.splice(at, 1);
  }
}

const keyOf = (origin: Connection['origin']): string => `${origin.secure ? 's' : ''}${origin.host}`;
