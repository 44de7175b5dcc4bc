import { setMaxListeners } from 'node:events';
import type { ConnectionOptions } from 'node:tls';
import { RateLimiter } from '../../http/rate-limiter.js';
import type { HttpClient, HttpResponse, HttpRequest } from '../../http/http-client.js';
import { Connection } from './connection.js';
import type { ConnectionHost } from './connection.js';
import type { Route } from './open-socket.js';
import type { ProxyChoice } from './proxy.js';
import { openTunnel } from './tunnel.js';

/** Options of `NodeHttpClient`. */
export interface NodeHttpClientOptions {
  /** Bytes per second, uploads and downloads together, more than 0. @default no limit */
  bandwidth?: number;
  /** Seconds without any byte after which a request fails, more than 0. @default 60 */
  stallSeconds?: number;
  /** Options of TLS connections, such as `ca`, the trusted authorities in PEM. They are read once. */
  tls?: ConnectionOptions;
  /** Chooses the proxy of a request, such as `proxyFromEnvironment(process.env)`. @default no proxy */
  proxy?: ProxyChoice;
}

/** Bytes that a connection reads at once. */
const READ_BUFFER = 256 * 1024;
/** Bytes that a connection reads at once while it waits for a response. */
const HEAD_BUFFER = 16 * 1024;

/**
 * Sends requests by HTTP/1.1, directly on sockets. It keeps connections alive, sends a small request in one system call, and
 * copies no body. The README compares it with undici.
 */
export class NodeHttpClient implements HttpClient {
  readonly isLiteral = true;
  readonly #idle = new Map<string, Connection[]>();
  readonly #connections = new Set<Connection>();
  readonly #host: ConnectionHost;
  readonly #stallSeconds: number;
  readonly #proxy: ProxyChoice;
  /** Checks for stalled connections once a second, as long as there are any. */
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  /** The abort listener of each signal. All requests of a signal share one. */
  readonly #abortListeners = new Map<AbortSignal, () => void>();

  constructor(options: NodeHttpClientOptions = {}) {
    this.#stallSeconds = options.stallSeconds ?? 60;
    this.#proxy = options.proxy ?? (() => undefined);
    const readBuffer = new Uint8Array(READ_BUFFER);
    this.#host = {
      rate: new RateLimiter(options.bandwidth),
      tls: options.tls ?? {},
      readBuffer,
      headBuffer: readBuffer.subarray(0, HEAD_BUFFER),
      tick: 0,
      listenForAbort: (signal) => this.#listenForAbort(signal),
      onIdle: (connection) => this.#keep(connection),
      onClosed: (connection) => this.#forget(connection),
    };
  }

  /** Sends a request on an idle connection, or on a new one. */
  send(request: HttpRequest): Promise<HttpResponse> {
    const idle = this.#idle.get(keyOf(request.origin))?.pop();
    if (idle) return idle.run(request);
    const proxy = this.#proxy(request.origin);
    if (proxy === undefined) return this.#connect(request, {});
    return request.origin.secure ? this.#sendThroughTunnel(request, proxy) : this.#connect(request, { proxy });
  }

  #connect(request: HttpRequest, route: Route): Promise<HttpResponse> {
    const connection = new Connection(request.origin, this.#host, route);
    this.#connections.add(connection);
    this.#timer ??= setInterval(() => this.#tick(), 1000).unref();
    return connection.run(request);
  }

  #tick(): void {
    this.#host.tick++;
    for (const connection of this.#connections) connection.checkStall(this.#stallSeconds);
    this.#removeUnusedListeners();
  }

  async #sendThroughTunnel(request: HttpRequest, proxy: URL): Promise<HttpResponse> {
    const { signal } = request;
    this.#listenForAbort(signal);
    const tunnel = await openTunnel(proxy, request.origin, { tls: this.#host.tls, seconds: this.#stallSeconds, signal });
    return this.#connect(request, { tunnel });
  }

  close(): void {
    this.#closed = true;
    for (const list of this.#idle.values()) for (const connection of list) connection.destroy();
    this.#idle.clear();
    this.#removeUnusedListeners();
  }

  #listenForAbort(signal: AbortSignal): void {
    if (this.#abortListeners.has(signal)) return;
    const abort = (): void => this.#connections.forEach((connection) => connection.abort(signal));
    this.#abortListeners.set(signal, abort);
    // Hundreds of pauses and limits listen to the signal as well.
    setMaxListeners(0, signal);
    signal.addEventListener('abort', abort, { once: true });
  }

  /** Removes listeners of signals without requests. Node keeps a composed signal alive as long as it has listeners. */
  #removeUnusedListeners(): void {
    const inUse = new Set<AbortSignal | undefined>();
    for (const connection of this.#connections) inUse.add(connection.signal);
    for (const [signal, abort] of this.#abortListeners) {
      if (inUse.has(signal)) continue;
      signal.removeEventListener('abort', abort);
      this.#abortListeners.delete(signal);
    }
  }

  #keep(connection: Connection): void {
    if (this.#closed) return connection.destroy();
    const key = keyOf(connection.origin);
    const list = this.#idle.get(key);
    if (list) list.push(connection);
    else this.#idle.set(key, [connection]);
    return undefined;
  }

  #forget(connection: Connection): void {
    this.#connections.delete(connection);
    if (this.#connections.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#removeUnusedListeners();
    }
    const list = this.#idle.get(keyOf(connection.origin));
    const index = list?.indexOf(connection) ?? -1;
    if (index >= 0) list!.splice(index, 1);
  }
}

const keyOf = (origin: Connection['origin']): string => `${origin.secure ? 's' : ''}${origin.host}`;
