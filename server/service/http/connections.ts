import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isAddressRange, networkOf, rangeMatcher } from '../identity/ip-addresses.js';
import { readKernelQueues } from './kernel-queue.js';
import { MINIMUM_RATE } from './minimum-rate.js';
import type { MinimumRate } from './minimum-rate.js';

/** How many connections the service holds at once, over all its ports. null: no limit. */
export interface ConnectionLimits {
  /** All connections. @default 4000 */
  total?: number | null;
  /** Connections from one IPv4 address or one IPv6 /64. Loopback addresses and trusted proxies have no such limit. @default 400 */
  perNetwork?: number | null;
}

export const CONNECTION_LIMITS = { total: 4000, perNetwork: 400 } as const;

/** Response bytes that clients have not taken, over all connections. Beyond it the connections that stand still are closed. */
const PENDING_BYTES = 256 * 1024 * 1024;
/** Requests of one connection that run at once. A client that pipelines more is closed. */
const MAX_PIPELINED = 32;
/** Progress is counted in this many parts of a window. */
const SAMPLES = 10;
/** Reading is judged over this many windows of the upload rate. `curl --limit-rate` stops reading for 100 seconds at a time. */
const READ_WINDOWS = 6;
const PENDING_CHECK_MS = 1000;
const LOOPBACK = ['127.0.0.0/8', '::1'];
/** Longer than the 60 seconds after which nginx and most load balancers leave a kept connection, so that they leave first. ms */
export const KEEP_ALIVE_MS = 72_000;
/** All headers of a request must have arrived by then. ms */
export const HEADERS_MS = 60_000;
/** How often Node looks for requests whose headers are late. Its default would add half a minute. */
export const TIMEOUT_CHECK_MS = 5000;
/** Long enough for a slow network to deliver a refusal. */
const LINGER_MS = 5000;
export interface ConnectionOptions {
  limits?: ConnectionLimits | undefined;
  /** Addresses and ranges whose connections carry many clients. */
  trustedProxies?: readonly string[] | undefined;
  minimumRate?: MinimumRate | undefined;
  pendingBytes?: number;
  /** Addresses without a limit of their own. @default loopback addresses */
  localRanges?: readonly string[];
  /** Receives the reason for every connection that is closed. */
  closed?: (reason: CloseReason) => void;
}

export type CloseReason = 'total' | 'network' | 'pipelined' | 'slow' | 'memory';

/** The state of one connection. */
interface Connection {
  network: string | undefined;
  /** Responses that are not finished. */
  responses: Set<ServerResponse>;
  /** The last samples, newest last. Empty while nothing waits for the client. */
  samples: Sample[];
  /** Bytes taken at the last check of pending bytes. */
  taken: number;
}

/** The bytes that a client had taken at one time. */
interface Sample {
  /** Bytes that the kernel had taken for it. */
  taken: number;
  /** Bytes that it had acknowledged. undefined: unknown. */
  acknowledged: number | undefined;
}

/** The counters of a socket's handle. Node's own socket timeout reads them too; they are not documented. */
interface SocketHandle {
  bytesWritten: number;
  writeQueueSize: number;
}

/** Bytes that the kernel has taken for the client. Without the handle a chunk counts when all of it is taken. */
function takenBytes(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle?: SocketHandle | null };
  if (typeof handle?.bytesWritten === 'number' && typeof handle.writeQueueSize === 'number')
    return handle.bytesWritten - handle.writeQueueSize;
  return socket.bytesWritten - socket.writableLength;
}

/** Bytes that the client took between two samples. undefined: only one of them shows what the client acknowledged. */
function progressOf(from: Sample, to: Sample): number | undefined {
  if (from.acknowledged === undefined && to.acknowledged === undefined) return to.taken - from.taken;
  if (from.acknowledged === undefined || to.acknowledged === undefined) return undefined;
  return to.acknowledged - from.acknowledged;
}

/**
 * Counts and closes the connections of both listeners. A connection is closed at once if there are too many, and later if its client reads
 * less than the minimum rate while a response waits. Silent clients without a response end by the timeouts of `node:http`.
 */
export class Connections {
  readonly #total: number;
  readonly #perNetwork: number;
  readonly #pendingBytes: number;
  readonly #rate: MinimumRate;
  readonly #isShared: (address: string) => boolean;
  readonly #closed: (reason: CloseReason) => void;
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
    this.#closed = options.closed ?? (() => {});
    const sampleMs = (this.#rate.windowSeconds * 1000 * READ_WINDOWS) / SAMPLES;
    this.#timers = [
      setInterval(() => void this.#closeSlow(), sampleMs).unref(),
      setInterval(() => this.#freeMemory(), PENDING_CHECK_MS).unref(),
    ];
  }

  /** Open connections. */
  get count(): number {
    return this.#open.size;
  }

  /** Whether the service is about to stop: `/readyz` fails and every response closes its connection. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Guards the connections of a server, whose own listeners for expectations must be there already. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#admit(socket));
    const began = (request: IncomingMessage, response: ServerResponse) => this.#began(request.socket, response);
    // Their bytes are bounded. By default Node drops those after the 2,000th without a word, among them a repeated `Host`.
    server.maxHeadersCount = 0;
    server.prependListener('request', began);
    // Without a listener Node answers an expectation itself. A listener that only watches would leave the client without an answer.
    for (const event of ['checkContinue', 'checkExpectation'])
      if (server.listenerCount(event) > 0) server.prependListener(event, began);
  }

  /** Makes every response from now on, also of running requests, announce the end of its connection. */
  drain(): void {
    this.#isDraining = true;
    for (const { responses } of this.#open.values()) for (const response of responses) announceClose(response);
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  #admit(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    // A socket without an address is a Unix socket, or already closed.
    const isShared = address === '' || this.#isShared(address);
    const network = isShared ? undefined : networkOf(address);
    const ofNetwork = network === undefined ? 0 : (this.#networks.get(network) ?? 0);
    if (this.#open.size >= this.#total) return this.#end(socket, 'total');
    if (ofNetwork >= this.#perNetwork) return this.#end(socket, 'network');
    if (network !== undefined) this.#networks.set(network, ofNetwork + 1);
    this.#open.set(socket, { network, responses: new Set(), samples: [], taken: 0 });
    socket.once('close', () => this.#forget(socket));
  }

  #forget(socket: Socket): void {
    const { network } = this.#open.get(socket)!;
    this.#open.delete(socket);
    if (network === undefined) return;
    const left = this.#networks.get(network)! - 1;
    if (left > 0) this.#networks.set(network, left);
    else this.#networks.delete(network);
  }

  #began(socket: Socket, response: ServerResponse): void {
    if (this.#isDraining) announceClose(response);
    const responses = this.#open.get(socket)?.responses;
    // A request whose expectation nobody refuses is announced twice.
    if (!responses || responses.has(response)) return;
    responses.add(response);
    response.once('close', () => responses.delete(response));
    if (responses.size > MAX_PIPELINED) this.#end(socket, 'pipelined');
  }

  /** Closes clients that took less than the minimum rate over a whole window in which bytes waited for them. */
  async #closeSlow(): Promise<void> {
    if (this.#isSampling) return;
    this.#isSampling = true;
    const waiting = new Map<Socket, number>();
    for (const [socket, { samples }] of this.#open) {
      if (socket.writableLength > 0) waiting.set(socket, takenBytes(socket));
      else samples.length = 0;
    }
    const queues = await readKernelQueues([...waiting.keys()]);
    this.#isSampling = false;
    const enough = this.#rate.bytesPerSecond * this.#rate.windowSeconds * READ_WINDOWS;
    for (const [socket, taken] of waiting) {
      const samples = this.#open.get(socket)?.samples;
      // If the kernel took bytes meanwhile, the client goes on, and the two numbers do not fit together.
      if (!samples || takenBytes(socket) !== taken) continue;
      const queued = queues.get(socket);
      samples.push({ taken, acknowledged: queued === undefined ? undefined : taken - queued });
      if (samples.length <= SAMPLES) continue;
      const progress = progressOf(samples.shift()!, samples.at(-1)!);
      if (progress !== undefined && progress < enough) this.#end(socket, 'slow');
    }
  }

  /** Keeps the bytes that wait for clients within bounds: closes the largest of those that took nothing since the last check. */
  #freeMemory(): void {
    let pending = 0;
    const still: Socket[] = [];
    for (const [socket, connection] of this.#open) {
      const taken = takenBytes(socket);
      pending += socket.writableLength;
      if (socket.writableLength > 0 && taken === connection.taken) still.push(socket);
      connection.taken = taken;
    }
    if (pending <= this.#pendingBytes) return;
    for (const socket of still.sort((a, b) => b.writableLength - a.writableLength)) {
      if (pending <= this.#pendingBytes) return;
      pending -= socket.writableLength;
      this.#end(socket, 'memory');
    }
  }

  #end(socket: Socket, reason: CloseReason): void {
    this.#closed(reason);
    socket.destroy();
  }
}

function announceClose(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
}

/**
 * Sends the last bytes of a connection and closes it, whether or not the client does. Until then its own bytes are thrown away. A connection in
 * the middle of a response is cut instead, because the bytes would become part of that response.
 */
export function endConnection(socket: Socket, bytes: string): void {
  // Not documented; Node's own handler of malformed requests looks there too.
  const { _httpMessage: running } = socket as Socket & { _httpMessage?: ServerResponse | null };
  if (running?.headersSent) {
    socket.destroy();
    return;
  }
  socket.end(bytes);
  socket.resume();
  const cut = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(cut));
}
