import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isAddressRange, networkOf, rangeMatcher } from '../runtime/ip-addresses.js';
import { readKernelQueues } from './kernel-queue.js';
import { MINIMUM_RATE } from './minimum-rate.js';
import type { MinimumRate } from './minimum-rate.js';
import { progressBetween, sentBytes } from './socket-progress.js';
import type { Sample } from './socket-progress.js';

/** Limits of open connections on all ports. null: no limit. */
export interface ConnectionLimits {
  /** All connections. @default 4000 */
  total?: number | null;
  /** Connections from one IPv4 address or one IPv6 /64. Loopback addresses and trusted proxies have no such limit. @default 400 */
  perNetwork?: number | null;
}

export const CONNECTION_LIMITS = { total: 4000, perNetwork: 400 } as const;

/** Pending response bytes of all connections. Beyond it, connections without progress are closed. */
const PENDING_BYTES = 256 * 1024 * 1024;
/** Pipelined requests of one connection. A client that sends more is disconnected. */
const MAX_PIPELINED = 32;
/** Progress is measured this many times per window. */
const SAMPLES = 10;
/** Reading is measured over this many windows of the upload rate. `curl --limit-rate` stops reading for 100 seconds at a time. */
const READ_WINDOWS = 6;
const PENDING_CHECK_MS = 1000;
const LOOPBACK = ['127.0.0.0/8', '::1'];
/** Longer than the 60 seconds after which nginx and most load balancers close idle connections, so that they close them first. */
export const KEEP_ALIVE_MS = 72_000;
/** All headers of a request must arrive within this time. */
export const HEADERS_MS = 60_000;
/** Interval in which Node checks for late headers. Its default would add half a minute. */
export const TIMEOUT_CHECK_MS = 5000;

export interface ConnectionOptions {
  limits?: ConnectionLimits | undefined;
  /** Addresses and ranges of proxies, whose connections serve many clients. */
  trustedProxies?: readonly string[] | undefined;
  minimumRate?: MinimumRate | undefined;
  pendingBytes?: number;
  /** Addresses without a limit per network. @default loopback addresses */
  localRanges?: readonly string[];
  /** Called for every connection that is closed. */
  onClose?: (reason: CloseReason) => void;
}

export type CloseReason = 'total' | 'network' | 'pipelined' | 'slow' | 'memory';

/** The state of one connection. */
interface Connection {
  network: string | undefined;
  /** Unfinished responses. */
  responses: Set<ServerResponse>;
  /** The last samples, newest last. Empty while no bytes are pending. */
  samples: Sample[];
  /** Bytes sent at the last check of pending bytes. */
  sentBytes: number;
}

/**
 * Limits the connections of both ports. A new connection is closed if there are too many. Later it is closed if its client reads a response slower
 * than the minimum rate. The timeouts of `node:http` close idle connections.
 */
export class Connections {
  readonly #total: number;
  readonly #perNetwork: number;
  readonly #pendingBytes: number;
  readonly #rate: MinimumRate;
  readonly #isShared: (address: string) => boolean;
  readonly #onClose: (reason: CloseReason) => void;
  readonly #open = new Map<Socket, Connection>();
  readonly #networks = new Map<string, number>();
  readonly #timers: NodeJS.Timeout[];
  #isDraining = false;
  #isSampling = false;

  constructor(options: ConnectionOptions = {}) {
    const { total = CONNECTION_LIMITS.total, perNetwork = CONNECTION_LIMITS.perNetwork } = options.limits ?? {};
    this.#total = total ?? Number.POSITIVE_INFINITY;
    this.#perNetwork = perNetwork ?? Number.POSITIVE_INFINITY;
    this.#pendingBytes = options.pendingBytes ?? PENDING_BYTES;
    this.#rate = options.minimumRate ?? MINIMUM_RATE;
    this.#isShared = rangeMatcher(
      [...(options.localRanges ?? LOOPBACK), ...(options.trustedProxies ?? [])].filter(isAddressRange),
    );
    this.#onClose = options.onClose ?? (() => {});
    const sampleMs = (this.#rate.windowSeconds * 1000 * READ_WINDOWS) / SAMPLES;
    this.#timers = [
      setInterval(() => void this.#closeSlow(), sampleMs).unref(),
      setInterval(() => this.#limitPendingBytes(), PENDING_CHECK_MS).unref(),
    ];
  }

  /** Open connections. */
  get count(): number {
    return this.#open.size;
  }

  /** Returns whether the service is about to stop. `/readyz` then fails, and every response closes its connection. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Watches the connections of a server. Add its listeners for `checkContinue` and `checkExpectation` before this call. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#onConnection(socket));
    const onRequest = (request: IncomingMessage, response: ServerResponse) => this.#onRequest(request.socket, response);
    // The size of headers is limited already. By default, Node ignores headers after the 2,000th, for example a repeated `Host`.
    server.maxHeadersCount = 0;
    server.prependListener('request', onRequest);
    // Node handles an expectation only without a listener, so this listener is added only beside another one.
    for (const event of ['checkContinue', 'checkExpectation'])
      if (server.listenerCount(event) > 0) server.prependListener(event, onRequest);
  }

  /** Makes all further responses close their connections, including those of running requests. */
  drain(): void {
    this.#isDraining = true;
    for (const { responses } of this.#open.values()) for (const response of responses) announceClose(response);
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  #onConnection(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    // A socket without an address is a Unix socket or already closed.
    const isShared = address === '' || this.#isShared(address);
    const network = isShared ? undefined : networkOf(address);
    const networkCount = network === undefined ? 0 : (this.#networks.get(network) ?? 0);
    if (this.#open.size >= this.#total) return this.#disconnect(socket, 'total');
    if (networkCount >= this.#perNetwork) return this.#disconnect(socket, 'network');
    if (network !== undefined) this.#networks.set(network, networkCount + 1);
    this.#open.set(socket, { network, responses: new Set(), samples: [], sentBytes: 0 });
    socket.once('close', () => this.#forget(socket));
  }

  #forget(socket: Socket): void {
    const { network } = this.#open.get(socket)!;
    this.#open.delete(socket);
    if (network === undefined) return;
    const count = this.#networks.get(network)! - 1;
    if (count > 0) this.#networks.set(network, count);
    else this.#networks.delete(network);
  }

  #onRequest(socket: Socket, response: ServerResponse): void {
    if (this.#isDraining) announceClose(response);
    const responses = this.#open.get(socket)?.responses;
    // A request with an accepted expectation causes two events.
    if (!responses || responses.has(response)) return;
    responses.add(response);
    response.once('close', () => responses.delete(response));
    if (responses.size > MAX_PIPELINED) this.#disconnect(socket, 'pipelined');
  }

  /** Disconnects clients that read less than the minimum rate during a whole window with pending bytes. */
  async #closeSlow(): Promise<void> {
    if (this.#isSampling) return;
    this.#isSampling = true;
    const sentBytesOf = new Map<Socket, number>();
    for (const [socket, { samples }] of this.#open) {
      if (socket.writableLength > 0) sentBytesOf.set(socket, sentBytes(socket));
      else samples.length = 0;
    }
    const queues = await readKernelQueues([...sentBytesOf.keys()]);
    this.#isSampling = false;
    const minimum = this.#rate.bytesPerSecond * this.#rate.windowSeconds * READ_WINDOWS;
    for (const [socket, sent] of sentBytesOf) {
      const samples = this.#open.get(socket)?.samples;
      // If the kernel accepted bytes in the meantime, the client makes progress, and the two numbers do not belong together.
      if (!samples || sentBytes(socket) !== sent) continue;
      const queued = queues.get(socket);
      samples.push({ sent, acknowledged: queued === undefined ? undefined : sent - queued });
      if (samples.length <= SAMPLES) continue;
      const progress = progressBetween(samples.shift()!, samples.at(-1)!);
      if (progress !== undefined && progress < minimum) this.#disconnect(socket, 'slow');
    }
  }

  /** Limits the memory of pending responses: disconnects clients without progress since the last check, those with most pending bytes first. */
  #limitPendingBytes(): void {
    let pending = 0;
    const stalled: Socket[] = [];
    for (const [socket, connection] of this.#open) {
      const sent = sentBytes(socket);
      pending += socket.writableLength;
      if (socket.writableLength > 0 && sent === connection.sentBytes) stalled.push(socket);
      connection.sentBytes = sent;
    }
    if (pending <= this.#pendingBytes) return;
    for (const socket of stalled.sort((a, b) => b.writableLength - a.writableLength)) {
      if (pending <= this.#pendingBytes) return;
      pending -= socket.writableLength;
      this.#disconnect(socket, 'memory');
    }
  }

  #disconnect(socket: Socket, reason: CloseReason): void {
    this.#onClose(reason);
    socket.destroy();
  }
}

function announceClose(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
}
