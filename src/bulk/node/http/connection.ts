import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { S3Error, toS3Error } from '../../errors.js';
import type { RateLimiter } from '../../http/rate-limiter.js';
import { abortError } from '../../abort.js';
import type { Origin, HttpResponse, HttpRequest } from '../../http/http-client.js';
import { ResponseParser } from './response-parser.js';
import { connectionError, openSocket } from './open-socket.js';
import type { Route } from './open-socket.js';
import { RequestWriter } from './request-writer.js';

/** The largest body that is held in memory, such as an error or a listing. Bytes. */
const MAX_BUFFERED_BODY = 64 * 1024 * 1024;

interface PendingRequest {
  request: HttpRequest;
  resolve: (response: HttpResponse) => void;
  reject: (error: S3Error) => void;
  status: number;
  headers: Record<string, string>;
  buffered: Buffer[];
  bufferedBytes: number;
  bodySent: boolean;
}

/** Resources that all connections of a client share, and its callbacks. */
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
  /** Called when the connection can carry another request. */
  onIdle(connection: Connection): void;
  /** Called when the connection has ended. */
  onClosed(connection: Connection): void;
}

/** A connection that carries one request at a time. */
export class Connection {
  readonly #socket: Socket;
  readonly #writer: RequestWriter;
  readonly #parser: ResponseParser;
  #pending: PendingRequest | undefined;
  #requestCount = 0;
  /** The consumer of the body is busy, so silence is no stall. */
  #paused = false;
  /** Pieces that arrived while the consumer was busy. */
  #backlog: Buffer[] = [];
  /** A complete response whose last pieces the consumer still processes. */
  #finishing: { pending: PendingRequest; reusable: boolean } | undefined;
  #isDestroyed = false;
  /** When the last byte moved. See `ConnectionHost.tick`. */
  lastTick: number;

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
      nextBuffer: () => this.#nextBuffer(),
      onRead: (data) => this.#onRead(data),
    });
    this.#writer = new RequestWriter({
      socket: this.#socket,
      origin,
      rate: host.rate,
      proxy: route.proxy,
      onPieceSent: () => (this.lastTick = host.tick),
    });
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

  /** Sends a request. @throws S3Error `ConnectionFailed`, `Stalled`, `Aborted` */
  run(request: HttpRequest): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      this.#pending = { request, resolve, reject, status: 0, headers: {}, buffered: [], bufferedBytes: 0, bodySent: false };
      this.#requestCount++;
      this.lastTick = this.host.tick;
      if (request.signal.aborted) return this.abort(request.signal);
      this.host.listenForAbort(request.signal);
      this.#socket.ref();
      this.#parser.expect(request.method);
      this.#send(this.#pending);
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
    this.#isDestroyed = true;
    this.#socket.destroy();
  }

  #send(pending: PendingRequest): void {
    const isPending = (): boolean => this.#pending === pending && !this.#isDestroyed;
    const sending = this.#writer.write(pending.request, isPending);
    if (sending === undefined) pending.bodySent = true;
    else
      sending.then(
        (isComplete) => (pending.bodySent = isComplete),
        (error: unknown) => {
          if (this.#pending === pending) this.#fail(toS3Error(error));
        },
      );
  }

  /** Returns the buffer for the next read. While a body arrives, this is the memory that the request offers. */
  #nextBuffer(): Uint8Array {
    const pending = this.#pending;
    const { readBuffer, headBuffer } = this.host;
    if (pending === undefined || pending.status === 0) return headBuffer;
    // A paused plain socket does not read. TLS delivers what it has decrypted even if it is paused.
    const isBusy = this.#paused && (this.#backlog.length > 0 || 'encrypted' in this.#socket);
    if (pending.request.room === undefined || pending.status >= 300 || isBusy) return readBuffer;
    const left = this.#parser.bodyLeft;
    const offered = left > 0 ? pending.request.room() : undefined;
    // A read that exactly fills the buffer could leave bytes of a smuggled response in the socket. The buffer therefore holds one byte
    // more than the body, or one less if the memory is too small.
    const buffer = offered?.subarray(0, offered.length === left ? left - 1 : left + 1);
    return buffer === undefined || buffer.length === 0 ? readBuffer : buffer;
  }

  /** @returns whether the socket may read on */
  #onRead(data: Buffer): boolean {
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
      pending.bufferedBytes += piece.length;
      if (pending.bufferedBytes > MAX_BUFFERED_BODY)
        throw new S3Error('UnexpectedAnswer', `The response is too large: its body has more than ${MAX_BUFFERED_BODY} bytes.`);
      pending.buffered.push(Buffer.from(piece));
    } else if (this.#paused) this.#backlog.push(Buffer.from(piece));
    else this.#deliver(pending, piece);
  }

  /** Delivers a piece and pauses the socket while the consumer is busy. */
  #deliver(pending: PendingRequest, piece: Uint8Array): void {
    const consuming = pending.request.onData!(piece, pending.headers);
    const throttling = this.host.rate.throttle(piece.length, pending.request.signal);
    if (consuming === undefined && throttling === undefined) return;
    this.#paused = true;
    Promise.all([consuming, throttling]).then(
      () => this.#resume(pending),
      (error: unknown) => this.#fail(toS3Error(error)),
    );
  }

  /** Delivers the backlog and reads on, after the consumer has taken a piece. */
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

  /** Handles a complete response. @param reusable the connection may carry another request */
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

  /** Ends a complete response after its last piece was consumed. */
  #settleFinishing(pending: PendingRequest): void {
    const finishing = this.#finishing;
    if (finishing?.pending !== pending) return;
    this.#finishing = undefined;
    this.#socket.resume();
    this.#settle(pending, finishing.reusable);
  }

  /** Resolves a request, and keeps or closes the connection. */
  #settle(pending: PendingRequest, reusable: boolean): void {
    if (reusable && pending.bodySent && !this.#isDestroyed) {
      // Idle connections do not keep the process alive.
      this.#socket.unref();
      this.host.onIdle(this);
    } else {
      this.host.onClosed(this);
      this.destroy();
    }
    const body = pending.buffered.length === 1 ? pending.buffered[0]! : Buffer.concat(pending.buffered);
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
    this.host.onClosed(this);
    this.destroy();
    if (pending === undefined) return;
    // The server closed a kept connection before it saw the request.
    const isStale = this.#requestCount > 1 && !this.#parser.started && error.code === 'ConnectionFailed';
    pending.reject(isStale ? new S3Error(error.code, error.message, { again: true, cause: error }) : error);
  }
}
