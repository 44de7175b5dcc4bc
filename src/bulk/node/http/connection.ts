import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { S3Error, toS3Error } from '../../errors.js';
import type { Pace } from '../../transfer/rate-limit.js';
import { aborted } from '../../transfer/abort.js';
import type { Origin, WireAnswer, WireRequest } from '../../http/http-client.js';
import { ResponseParser } from './response-parser.js';
import { connectionError, openSocket } from './open-socket.js';
import type { Route } from './open-socket.js';
import { proxyAuthorization } from './proxy.js';

/** Below this, head and body leave in one piece of memory and one system call. */
const ONE_WRITE = 64 * 1024;
/** Larger bodies leave in such pieces: progress, pace and an early refusal all need a moment between two. TLS makes a copy of each. */
const PIECE = 512 * 1024;
const SECURE_PIECE = 128 * 1024;
/** A body that is gathered (an error, a listing) has no business being larger. */
const GATHER_MAX = 64 * 1024 * 1024;

interface Running {
  request: WireRequest;
  resolve: (answer: WireAnswer) => void;
  reject: (error: S3Error) => void;
  status: number;
  headers: Record<string, string>;
  gathered: Buffer[];
  gatheredBytes: number;
  bodySent: boolean;
}

export interface ConnectionHost {
  pace: Pace;
  tls: ConnectionOptions;
  /** Sockets read into this one, each during its own callback only, but for bodies that are wanted elsewhere. */
  readBuffer: Uint8Array;
  /** What the beginning of an answer is read into: little, so that of a body that is wanted elsewhere little comes with it. */
  headBuffer: Uint8Array;
  /** Seconds since the wire was made; a cheap clock for stalls. */
  tick: number;
  /** Sees to it that `abort` is called when the signal fires; hundreds of requests share one. */
  watch(signal: AbortSignal): void;
  idle(connection: Connection): void;
  gone(connection: Connection): void;
}

/** One connection, carrying one request at a time. */
export class Connection {
  readonly #socket: Socket;
  readonly #parser: ResponseParser;
  #running: Running | undefined;
  #used = 0;
  /** The consumer is busy: the peer is not to blame for silence. */
  #paused = false;
  /** What came nevertheless. */
  #backlog: Buffer[] = [];
  #dead = false;
  lastTick: number;
  #outgoing: Buffer = NOTHING;
  /** Through a proxy in the open, requests name the whole address. */
  #targetStart = '';
  #moreHead = '';

  constructor(
    readonly origin: Origin,
    private readonly host: ConnectionHost,
    route: Route = {},
  ) {
    this.lastTick = host.tick;
    this.#parser = new ResponseParser({
      onHead: (status, headers) => {
        this.#running!.status = status;
        this.#running!.headers = headers;
      },
      onBody: (piece) => this.#take(piece),
      onEnd: (reusable) => this.#finish(reusable),
    });
    this.#socket = openSocket(origin, route, host.tls, {
      room: () => this.#room(),
      read: (data) => this.#read(data),
    });
    if (route.proxy !== undefined) {
      const authorization = proxyAuthorization(route.proxy);
      this.#targetStart = `http://${origin.host}`;
      if (authorization !== undefined) this.#moreHead = `proxy-authorization: ${authorization}\r\n`;
    }
    this.#socket.on('error', (error) => this.#lost(connectionError(error, origin)));
    this.#socket.on('close', () => this.#lost(new S3Error('ConnectionFailed', 'The server closed the connection.')));
    this.#socket.on('end', () => {
      if (this.#running !== undefined && this.#parser.closed()) return;
      this.#lost(new S3Error('ConnectionFailed', 'The server closed the connection before its answer was whole.'));
    });
  }

  /** That of the request in flight. */
  get signal(): AbortSignal | undefined {
    return (this.#running ?? this.#late?.running)?.request.signal;
  }

  run(request: WireRequest): Promise<WireAnswer> {
    return new Promise((resolve, reject) => {
      this.#running = { request, resolve, reject, status: 0, headers: {}, gathered: [], gatheredBytes: 0, bodySent: false };
      this.#used++;
      this.lastTick = this.host.tick;
      if (request.signal.aborted) return this.abort(request.signal);
      this.host.watch(request.signal);
      this.#socket.ref();
      this.#parser.expect(request.method);
      this.#write(request, this.#running);
      return undefined;
    });
  }

  /** Fails the request in flight when neither side has moved for so many ticks. */
  checkStall(ticks: number): void {
    if (this.#running !== undefined && !this.#paused && this.host.tick - this.lastTick > ticks)
      this.#fail(new S3Error('Stalled', `No byte moved for ${ticks} s.`));
  }

  /** Ends the request in flight, if it goes by this signal. */
  abort(signal: AbortSignal): void {
    if (this.signal === signal) this.#fail(aborted(signal));
  }

  destroy(): void {
    this.#dead = true;
    this.#socket.destroy();
  }

  #write(request: WireRequest, running: Running): void {
    const { body, headers } = request;
    const size = body === undefined ? 0 : body instanceof Uint8Array ? body.length : body.size;
    let head = `${request.method} ${this.#targetStart}${request.target} HTTP/1.1\r\n${this.#moreHead}`;
    for (const name in headers) head += `${name}: ${headers[name]!}\r\n`;
    head +=
      body === undefined && request.method !== 'POST' && request.method !== 'PUT' ? '\r\n' : `content-length: ${size}\r\n\r\n`;
    if (body instanceof Uint8Array && size <= ONE_WRITE && this.host.pace.slice === undefined) {
      // The last request was answered, and so has left this buffer.
      if (this.#outgoing.length < head.length + size) this.#outgoing = Buffer.allocUnsafeSlow(nextPower(head.length + size));
      this.#outgoing.write(head, 'latin1');
      this.#outgoing.set(body, head.length);
      this.#socket.write(this.#outgoing.subarray(0, head.length + size));
      running.bodySent = true;
      return request.onSent?.(size);
    }
    this.#socket.write(head, 'latin1');
    if (size === 0) running.bodySent = true;
    else
      this.#writePieces(body!, size, running).catch((error: unknown) => {
        if (this.#running === running) this.#fail(toS3Error(error));
      });
  }

  async #writePieces(body: NonNullable<WireRequest['body']>, left: number, running: Running): Promise<void> {
    const { pace } = this.host;
    const step = Math.min(pace.slice ?? PIECE, this.origin.secure ? SECURE_PIECE : PIECE);
    let whole = body instanceof Uint8Array ? body : undefined;
    while (left > 0) {
      whole ??= await (body as Exclude<typeof body, Uint8Array>).next();
      if (whole === undefined || whole.length > left) throw new S3Error('FileChanged', 'The file is not as long as it was.');
      for (let at = 0; at < whole.length; at += step) {
        const piece = whole.subarray(at, at + step);
        await pace.pass(piece.length, running.request.signal);
        // An answer that came early means the rest is not wanted.
        if (this.#running !== running || this.#dead) return;
        await new Promise<void>((resolve) => void this.#socket.write(piece, () => resolve()));
        // What did not go out is not counted: whoever asked has taken back what was.
        if (this.#running !== running || this.#dead) return;
        this.lastTick = this.host.tick;
        running.request.onSent?.(piece.length);
      }
      left -= whole.length;
      whole = undefined;
    }
    running.bodySent = true;
  }

  /** Where the socket reads to next: straight to where the bytes of a body are wanted. */
  #room(): Uint8Array {
    const running = this.#running;
    const { readBuffer, headBuffer } = this.host;
    if (running === undefined || running.status === 0) return headBuffer;
    // Node asks for a plain socket once a reading, and reads no more until it goes on; TLS hands out what it has, paused or not.
    const busy = this.#paused && (this.#backlog.length > 0 || 'encrypted' in this.#socket);
    if (running.request.room === undefined || running.status >= 300 || busy) return readBuffer;
    const left = this.#parser.bodyLeft;
    const room = left > 0 ? running.request.room() : undefined;
    // Never just to the end: what a server sends behind a body would lie unread, and be taken for the next answer.
    const place = room?.subarray(0, room.length === left ? left - 1 : left + 1);
    return place === undefined || place.length === 0 ? readBuffer : place;
  }

  /** @returns whether more may come. */
  #read(data: Buffer): boolean {
    this.lastTick = this.host.tick;
    if (this.#running === undefined) {
      // Bytes without a question: this connection is out of step.
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

  #take(piece: Uint8Array): void {
    const running = this.#running!;
    if (running.request.onData === undefined || running.status >= 300) {
      running.gatheredBytes += piece.length;
      if (running.gatheredBytes > GATHER_MAX) throw new S3Error('UnexpectedAnswer', 'The answer is too large.');
      running.gathered.push(Buffer.from(piece));
    } else if (this.#paused) this.#backlog.push(Buffer.from(piece));
    else this.#deliver(running, piece);
  }

  /** The consumer gets no piece while it is busy with the last, though one reading may bring several, and TLS some more. */
  #deliver(running: Running, piece: Uint8Array): void {
    const busy = running.request.onData!(piece, running.headers);
    const wait = this.host.pace.pass(piece.length, running.request.signal);
    if (busy === undefined && wait === undefined) return;
    this.#paused = true;
    Promise.all([busy, wait]).then(
      () => this.#goOn(running),
      (error: unknown) => this.#fail(toS3Error(error)),
    );
  }

  #goOn(running: Running): void {
    this.#paused = false;
    this.lastTick = this.host.tick;
    try {
      while (!this.#paused && this.#backlog.length > 0) this.#deliver(running, this.#backlog.shift()!);
    } catch (error) {
      return this.#fail(toS3Error(error));
    }
    if (!this.#paused && running === this.#running) this.#socket.resume();
    else if (!this.#paused) this.#settleLate(running);
    return undefined;
  }

  #late: { running: Running; reusable: boolean } | undefined;

  #finish(reusable: boolean): void {
    const running = this.#running!;
    if (this.#paused) {
      // The last piece is still being written: the answer is whole only then.
      this.#late = { running, reusable };
      this.#running = undefined;
      return;
    }
    this.#running = undefined;
    this.#settle(running, reusable);
  }

  #settleLate(running: Running): void {
    const late = this.#late;
    if (late?.running !== running) return;
    this.#late = undefined;
    this.#socket.resume();
    this.#settle(running, late.reusable);
  }

  #settle(running: Running, reusable: boolean): void {
    if (reusable && running.bodySent && !this.#dead) {
      // An idle connection must not keep the process alive.
      this.#socket.unref();
      this.host.idle(this);
    } else {
      this.host.gone(this);
      this.destroy();
    }
    const body = running.gathered.length === 1 ? running.gathered[0]! : Buffer.concat(running.gathered);
    running.resolve({ status: running.status, headers: running.headers, body });
  }

  /** There is no connection any more. Over TLS that is told even while the last pieces of an answer are still being taken: it is whole. */
  #lost(error: S3Error): void {
    if (this.#late === undefined) this.#fail(error);
    else this.#late.reusable = false;
  }

  #fail(error: S3Error): void {
    const running = this.#running ?? this.#late?.running;
    this.#running = undefined;
    this.#late = undefined;
    // A consumer that was busy must not be given what came before the failure.
    this.#backlog = [];
    this.host.gone(this);
    this.destroy();
    if (running === undefined) return;
    const stale = this.#used > 1 && !this.#parser.started && error.code === 'ConnectionFailed';
    running.reject(stale ? new S3Error(error.code, error.message, { again: true, cause: error }) : error);
  }
}

const NOTHING = Buffer.alloc(0);
const nextPower = (size: number): number => 2 ** Math.ceil(Math.log2(size));
