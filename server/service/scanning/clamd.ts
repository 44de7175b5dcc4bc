import { Socket } from 'node:net';
import type { ConnectOpts, SocketConstructorOpts } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { ScanResult } from '../storage/scans/scan-queue.js';
import type { ScannerAddress } from './scanner-address.js';

/** Bytes of one chunk of INSTREAM. clamd reads chunks of any size up to its StreamMaxLength. */
const MAX_CHUNK = 256 * 1024;
/** Bytes of the longest reply. A longer one is no reply of clamd. */
const MAX_REPLY = 4096;
const MAX_SIGNATURE = 200;

/** Times in ms after which the scanner counts as silent. */
export interface ClamdTimeouts {
  connect: number;
  /** Without progress while the file is sent. */
  send: number;
  /** From the last byte of the file to the reply. clamd itself scans a file for at most MaxScanTime, 2 minutes by default. */
  reply: number;
}

export const CLAMD_TIMEOUTS: ClamdTimeouts = { connect: 5000, send: 60_000, reply: 300_000 };
/** A scanner that is busy may answer PING late. */
const PING_TIMEOUT_MS = 10_000;

export interface ClamdOptions {
  signal: AbortSignal;
  /** @default CLAMD_TIMEOUTS */
  timeouts?: ClamdTimeouts;
}

/** clamd could not be reached, broke off, did not respond in time, or sent an unexpected reply. */
export class ScannerError extends Error {
  override readonly name = 'ScannerError';
}

/**
 * Scans bytes with clamd. A file is clean only if clamd says so after it received every byte.
 * @param open opens the bytes. Its signal aborts when the scan has failed.
 * @throws ScannerError, what reading throws, or the reason of the signal.
 * @see https://docs.clamav.net/manual/Usage/Scanning.html clamd's manual page describes INSTREAM.
 */
export async function scanWithClamd(
  address: ScannerAddress,
  open: (signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>,
  { signal, timeouts = CLAMD_TIMEOUTS }: ClamdOptions,
): Promise<ScanResult> {
  const connection = new ClamdConnection(address, timeouts, signal);
  let isComplete = false;
  try {
    await connection.ready();
    await connection.send(Buffer.from('zINSTREAM\0'));
    for await (const chunk of await open(connection.signal)) {
      for (let start = 0; start < chunk.byteLength; start += MAX_CHUNK)
        await connection.send(frame(chunk.subarray(start, start + MAX_CHUNK)));
      // clamd refuses the rest, for example because the file is too large.
      if (connection.hasReply) break;
    }
    if (!connection.hasReply) {
      await connection.send(frame(new Uint8Array()));
      isComplete = true;
    }
    return toResult(await connection.reply(), isComplete);
  } catch (cause) {
    signal.throwIfAborted();
    // If the connection has failed, reading was aborted because of it.
    throw connection.failure ?? cause;
  } finally {
    connection.close();
  }
}

/** Checks that clamd responds. @throws ScannerError, or the reason of the signal. */
export async function pingClamd(address: ScannerAddress, { signal, timeouts = CLAMD_TIMEOUTS }: ClamdOptions): Promise<void> {
  const reply = Math.min(timeouts.reply, PING_TIMEOUT_MS);
  const connection = new ClamdConnection(address, { ...timeouts, reply }, signal);
  try {
    await connection.ready();
    await connection.send(Buffer.from('zPING\0'));
    const text = await connection.reply();
    if (text !== 'PONG') throw unexpectedReply(text);
  } finally {
    connection.close();
  }
}

function frame(chunk: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(4 + chunk.byteLength);
  bytes.writeUInt32BE(chunk.byteLength);
  bytes.set(chunk, 4);
  return bytes;
}

function toResult(reply: string, isComplete: boolean): ScanResult {
  const signature = /^stream: (.+) FOUND$/.exec(reply)?.[1];
  if (signature !== undefined) return { state: 'infected', signature: signature.slice(0, MAX_SIGNATURE) };
  if (reply === 'INSTREAM size limit exceeded. ERROR') return { state: 'too_large' };
  if (reply === 'stream: OK' && isComplete) return { state: 'clean' };
  throw unexpectedReply(reply);
}

const unexpectedReply = (reply: string) =>
  new ScannerError(`the virus scanner sent an unexpected reply: ${JSON.stringify(reply)}`);

/**
 * A socket that can be read after a failed write. clamd replies that a file is too large and closes the connection while the file is sent. A
 * write then fails although the reply may not have been read.
 */
class ReplySocket extends Socket {
  /** Whether a write has failed because the other side reads no more. */
  isRefused = false;

  /** @param receive takes bytes, also after a failed write. Then a `data` listener would not get those that are buffered. */
  constructor(receive: (bytes: Buffer) => void) {
    const buffer = Buffer.alloc(MAX_REPLY);
    const callback = (length: number): boolean => {
      receive(Buffer.from(buffer.subarray(0, length)));
      return true;
    };
    const options: SocketConstructorOpts & ConnectOpts = { onread: { buffer, callback } };
    super(options);
  }

  override destroy(cause?: NodeJS.ErrnoException): this {
    if (cause?.syscall !== 'write' || this.isRefused) return super.destroy(cause);
    // The rest of the input ends with `end` or an error of reading.
    this.isRefused = true;
    return this;
  }
}

/** A connection for one command. */
class ClamdConnection {
  readonly #socket: ReplySocket;
  readonly #timeouts: ClamdTimeouts;
  readonly #ended = new AbortController();
  readonly #outer: AbortSignal;
  #timer: NodeJS.Timeout | undefined;
  #received: Buffer[] = [];
  #receivedBytes = 0;
  #reply: string | undefined;
  /** The reason why the connection cannot be used any more. */
  failure: Error | undefined;
  /** Continues what waits for the connection. Only one call waits at a time. */
  #wake: () => void = () => {};

  constructor(address: ScannerAddress, timeouts: ClamdTimeouts, signal: AbortSignal) {
    this.#timeouts = timeouts;
    this.#outer = signal;
    this.#socket = new ReplySocket((bytes) => this.#receive(bytes));
    this.#socket.connect(address);
    this.#socket.setNoDelay(true);
    this.#socket.on('connect', () => this.#wake());
    this.#socket.on('drain', () => this.#wake());
    this.#socket.on('error', (cause) => this.#fail(new ScannerError(`the virus scanner failed: ${cause.message}`, { cause })));
    this.#socket.on('end', () => this.#socket.destroy());
    this.#socket.on('close', () => this.#fail(new ScannerError('the virus scanner closed the connection before its reply')));
    signal.addEventListener('abort', this.#onAbort, { once: true });
    if (signal.aborted) this.#onAbort();
  }

  readonly #onAbort = (): void => this.#fail(this.#outer.reason as Error);

  /** Aborts when the connection has ended. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  get hasReply(): boolean {
    return this.#reply !== undefined;
  }

  async ready(): Promise<void> {
    await this.#until(() => !this.#socket.connecting, this.#timeouts.connect);
    this.#restartTimer(this.#timeouts.send);
  }

  /** Sends bytes, unless clamd has replied. Resolves when the socket takes more. */
  async send(bytes: Uint8Array): Promise<void> {
    // Receives first, because clamd may have refused the rest.
    await setImmediate();
    if (this.hasReply) return;
    if (this.failure) throw this.failure;
    if (!this.#socket.isRefused) this.#socket.write(bytes);
    await this.#until(() => this.hasReply || (!this.#socket.isRefused && !this.#socket.writableNeedDrain), this.#timeouts.send);
    // Also limits the time until the next chunk is read.
    this.#restartTimer(this.#timeouts.send);
  }

  async reply(): Promise<string> {
    await this.#until(() => this.hasReply, this.#timeouts.reply);
    return this.#reply!;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener('abort', this.#onAbort);
    this.#socket.destroy();
    this.#ended.abort();
  }

  async #until(isReached: () => boolean, timeout: number): Promise<void> {
    this.#restartTimer(timeout);
    while (!isReached()) {
      if (this.failure) throw this.failure;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    if (this.failure && !this.hasReply) throw this.failure;
  }

  #restartTimer(timeout: number): void {
    clearTimeout(this.#timer);
    const seconds = timeout / 1000;
    this.#timer = setTimeout(
      () => this.#fail(new ScannerError(`the virus scanner made no progress for ${seconds} seconds`)),
      timeout,
    );
  }

  #receive(bytes: Buffer): void {
    if (this.hasReply) return;
    this.#received.push(bytes);
    this.#receivedBytes += bytes.byteLength;
    const end = bytes.indexOf(0);
    if (end !== -1) {
      const all = Buffer.concat(this.#received);
      this.#reply = all.toString('utf8', 0, all.indexOf(0));
      this.#wake();
    } else if (this.#receivedBytes > MAX_REPLY) {
      this.#fail(new ScannerError('the virus scanner sent a reply without an end'));
    }
  }

  #fail(cause: Error): void {
    // clamd closes the connection after its reply, also while the file is sent.
    if (this.hasReply) return;
    this.failure ??= cause;
    clearTimeout(this.#timer);
    this.#socket.destroy();
    this.#ended.abort(this.failure);
    this.#wake();
  }
}
