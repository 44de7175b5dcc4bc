import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { S3Error, toS3Error } from '../../errors.js';
import type { RateLimiter } from '../../http/rate-limiter.js';
import { abortError } from '../../abort.js';
import type { Origin, WireAnswer, WireRequest } from '../../http/http-client.js';
import { ResponseParser } from './response-parser.js';
import { connectionError, openSocket } from './open-socket.js';
import type { Route } from './open-socket.js';
import { proxyAuthorization } from './proxy.js';

/** Smaller bodies share one buffer and one system call with their head. Bytes. */
const ONE_WRITE = 64 * 1024;
/** Larger bodies are sent in pieces. Progress, rate limit and early responses are handled between two pieces. TLS copies each. */
const PIECE = 512 * 1024;
const SECURE_PIECE = 128 * 1024;
/** The largest body that is held in memory, such as an error or a listing. Bytes. */
const MAX_HELD = 64 * 1024 * 1024;

interface PendingRequest {
  request: WireRequest;
  resolve: (answer: WireAnswer) => void;
  reject: (error: S3Error) => void;
  status: number;
  headers: Record<string, string>;
  held: Buffer[];
  heldBytes: number;
  bodySent: boolean;
}

export interface ConnectionHost {
  rate: RateLimiter;
  tls: ConnectionOptions;
  /** All sockets read into this buffer, unless a request provides its own. Valid during the callback only. */
  readBuffer: Uint8Array;
  /** Receives the head of a response. Small, so that little of a body comes with it and has to be copied. */
  headBuffer: Uint8Array;
  /** Seconds since the client was created. */
  tick: number;
  /** Calls `abort` on all connections when the signal fires. */
  listenForAbort(signal: AbortSignal): void;
  /** The connection can carry another request. */
  idle(connection: Connection): void;
  /** The connection has ended. */
  gone(connection: Connection): void;
}

/** A connection that carries one request at a time. */
export class Connection {
  readonly #socket: Socket;
  readonly #parser: ResponseParser;
  #pending: PendingRequest | undefined;
  #used = 0;
  /** The consumer of the body is busy, so silence is no stall. */
  #paused = false;
  /** Pieces that arrived while the consumer was busy. */
  #backlog: Buffer[] = [];
  #dead = false;
  lastTick: number;
  #outgoing: Buffer = NOTHING;
  /** A proxy of plain HTTP needs the whole address. */
  #targetPrefix = '';
  #proxyHeaders = '';

  constructor(
    readonly origin: Origin,
    private readonly host: ConnectionHost,
    route: Route = {},
  ) {
    this.lastTick = host.tick;
    this.#parser = new ResponseParser({
      onHead: (status, headers) => {
        this.#pending!.status = status;
        this.#pending!.headers = headers;
      },
      onBody: (piece) => this.#onBody(piece),
      onEnd: (reusable) => this.#finish(reusable),
    });
    this.#socket = openSocket(origin, route, host.tls, {
      room: () => this.#room(),
      read: (data) => this.#read(data),
    });
    if (route.proxy !== undefined) {
      const authorization = proxyAuthorization(route.proxy);
      this.#targetPrefix = `http://${origin.host}`;
      if (authorization !== undefined) this.#proxyHeaders = `proxy-authorization: ${authorization}\r\n`;
    }
    this.#socket.on('error', (error) => this.#onClosed(connectionError(error, origin)));
    this.#socket.on('close', () => this.#onClosed(new S3Error('ConnectionFailed', 'The server closed the connection.')));
    this.#socket.on('end', () => {
      if (this.#pending !== undefined && this.#parser.closed()) return;
      this.#onClosed(new S3Error('ConnectionFailed', 'The server closed the connection before its response was complete.'));
    });
  }

  /** The signal of the pending request. */
  get signal(): AbortSignal | undefined {
    return (this.#pending ?? this.#finishing?.pending)?.request.signal;
  }

  run(request: WireRequest): Promise<WireAnswer> {
    return new Promise((resolve, reject) => {
      this.#pending = { request, resolve, reject, status: 0, headers: {}, held: [], heldBytes: 0, bodySent: false };
      this.#used++;
      this.lastTick = this.host.tick;
      if (request.signal.aborted) return this.abort(request.signal);
      this.host.listenForAbort(request.signal);
      this.#socket.ref();
      this.#parser.expect(request.method);
      this.#write(request, this.#pending);
      return undefined;
    });
  }

  /** Fails the pending request if no byte has moved for this many ticks. */
  checkStall(ticks: number): void {
    if (this.#pending !== undefined && !this.#paused && this.host.tick - this.lastTick > ticks)
      this.#fail(new S3Error('Stalled', `No byte moved for ${ticks} s.`));
  }

  /** Fails the pending request if it uses this signal. */
  abort(signal: AbortSignal): void {
    if (this.signal === signal) this.#fail(abortError(signal));
  }

  destroy(): void {
    this.#dead = true;
    this.#socket.destroy();
  }

  #write(request: WireRequest, pending: PendingRequest): void {
    const { body, headers } = request;
    const size = body === undefined ? 0 : body instanceof Uint8Array ? body.length : body.size;
    let head = `${request.method} ${this.#targetPrefix}${request.target} HTTP/1.1\r\n${this.#proxyHeaders}`;
    for (const name in headers) head += `${name}: ${headers[name]!}\r\n`;
    head +=
      body === undefined && request.method !== 'POST' && request.method !== 'PUT' ? '\r\n' : `content-length: ${size}\r\n\r\n`;
    if (body instanceof Uint8Array && size <= ONE_WRITE && this.host.rate.sliceBytes === undefined) {
      // The previous request has its response, so its bytes have left the buffer.
      if (this.#outgoing.length < head.length + size) this.#outgoing = Buffer.allocUnsafeSlow(nextPowerOfTwo(head.length + size));
      this.#outgoing.write(head, 'latin1');
      this.#outgoing.set(body, head.length);
      this.#socket.write(this.#outgoing.subarray(0, head.length + size));
      pending.bodySent = true;
      return request.onSent?.(size);
    }
    this.#socket.write(head, 'latin1');
    if (size === 0) pending.bodySent = true;
    else
      this.#writePieces(body!, size, pending).catch((error: unknown) => {
        if (this.#pending === pending) this.#fail(toS3Error(error));
      });
  }

  async #writePieces(body: NonNullable<WireRequest['body']>, size: number, pending: PendingRequest): Promise<void> {
    const { rate } = this.host;
    const step = Math.min(rate.sliceBytes ?? PIECE, this.origin.secure ? SECURE_PIECE : PIECE);
    const next = body instanceof Uint8Array ? () => body : () => body.next();
    let left = size;
    while (left > 0) {
      const chunk = await next();
      if (chunk === undefined || chunk.length > left) throw new S3Error('FileChanged', 'The size of the file has changed.');
      for (let start = 0; start < chunk.length; start += step) {
        const piece = chunk.subarray(start, start + step);
        await rate.throttle(piece.length, pending.request.signal);
        // An early response means that the server wants no more.
        if (this.#pending !== pending || this.#dead) return;
        await new Promise<void>((resolve) => void this.#socket.write(piece, () => resolve()));
        // After a failure the caller has already taken the progress back.
        if (this.#pending !== pending || this.#dead) return;
        this.lastTick = this.host.tick;
        pending.request.onSent?.(piece.length);
      }
      left -= chunk.length;
    }
    pending.bodySent = true;
  }

  /** Returns the memory for the next read: that of the request while a body arrives. */
  #room(): Uint8Array {
    const pending = this.#pending;
    const { readBuffer, headBuffer } = this.host;
    if (pending === undefined || pending.status === 0) return headBuffer;
    // A paused plain socket does not read. TLS delivers what it has decrypted even if it is paused.
    const busy = this.#paused && (this.#backlog.length > 0 || 'encrypted' in this.#socket);
    if (pending.request.room === undefined || pending.status >= 300 || busy) return readBuffer;
    const left = this.#parser.bodyLeft;
    const room = left > 0 ? pending.request.room() : undefined;
    // One byte more or less than the body: bytes after the body must not stay unread, or they would begin the next response.
    const memory = room?.subarray(0, room.length === left ? left - 1 : left + 1);
    return memory === undefined || memory.length === 0 ? readBuffer : memory;
  }

  /** @returns whether the socket may read on */
  #read(data: Buffer): boolean {
    this.lastTick = this.host.tick;
    if (this.#pending === undefined) {
      // Bytes without a request. They must not begin the next response.
      this.destroy();
      return true;
    }
    try {
      this.#parser.feed(data);
    } catch (error) {
      this.#fail(toS3Error(error));
    }
    return !this.#paused;
  }

  #onBody(piece: Uint8Array): void {
    const pending = this.#pending!;
    if (pending.request.onData === undefined || pending.status >= 300) {
      pending.heldBytes += piece.length;
      if (pending.heldBytes > MAX_HELD) throw new S3Error('UnexpectedAnswer', 'The response is too large.');
      pending.held.push(Buffer.from(piece));
    } else if (this.#paused) this.#backlog.push(Buffer.from(piece));
    else this.#deliver(pending, piece);
  }

  /** Delivers a piece and pauses the socket while the consumer is busy. */
  #deliver(pending: PendingRequest, piece: Uint8Array): void {
    const busy = pending.request.onData!(piece, pending.headers);
    const wait = this.host.rate.throttle(piece.length, pending.request.signal);
    if (busy === undefined && wait === undefined) return;
    this.#paused = true;
    Promise.all([busy, wait]).then(
      () => this.#resume(pending),
      (error: unknown) => this.#fail(toS3Error(error)),
    );
  }

  #resume(pending: PendingRequest): void {
    this.#paused = false;
    this.lastTick = this.host.tick;
    try {
      while (!this.#paused && this.#backlog.length > 0) this.#deliver(pending, this.#backlog.shift()!);
    } catch (error) {
      return this.#fail(toS3Error(error));
    }
    if (!this.#paused && pending === this.#pending) this.#socket.resume();
    else if (!this.#paused) this.#settleFinishing(pending);
    return undefined;
  }

  #finishing: { pending: PendingRequest; reusable: boolean } | undefined;

  #finish(reusable: boolean): void {
    const pending = this.#pending!;
    if (this.#paused) {
      // The response is complete when its last piece has been consumed.
      this.#finishing = { pending, reusable };
      this.#pending = undefined;
      return;
    }
    this.#pending = undefined;
    this.#settle(pending, reusable);
  }

  #settleFinishing(pending: PendingRequest): void {
    const finishing = this.#finishing;
    if (finishing?.pending !== pending) return;
    this.#finishing = undefined;
    this.#socket.resume();
    this.#settle(pending, finishing.reusable);
  }

  #settle(pending: PendingRequest, reusable: boolean): void {
    if (reusable && pending.bodySent && !this.#dead) {
      // Idle connections do not keep the process alive.
      this.#socket.unref();
      this.host.idle(this);
    } else {
      this.host.gone(this);
      this.destroy();
    }
    const body = pending.held.length === 1 ? pending.held[0]! : Buffer.concat(pending.held);
    pending.resolve({ status: pending.status, headers: pending.headers, body });
  }

  /** Handles the end of the connection. Over TLS it may arrive while the last pieces of a complete response are consumed. */
  #onClosed(error: S3Error): void {
    if (this.#finishing === undefined) this.#fail(error);
    else this.#finishing.reusable = false;
  }

  #fail(error: S3Error): void {
    const pending = this.#pending ?? this.#finishing?.pending;
    this.#pending = undefined;
    this.#finishing = undefined;
    // A busy consumer must get no more pieces after the failure.
    this.#backlog = [];
    this.host.gone(this);
    this.destroy();
    if (pending === undefined) return;
    const stale = this.#used > 1 && !this.#parser.started && error.code === 'ConnectionFailed';
    pending.reject(stale ? new S3Error(error.code, error.message, { again: true, cause: error }) : error);
  }
}

const NOTHING = Buffer.alloc(0);
const nextPowerOfTwo = (size: number): number => 2 ** Math.ceil(Math.log2(size));
