import { S3Error } from '../../errors.js';

/** What the parser tells the connection. */
export interface AnswerHandlers {
  onHead(status: number, headers: Record<string, string>): void;
  onBody(piece: Uint8Array): void;
  /** The answer is whole; `reusable` when the connection may carry another. */
  onEnd(reusable: boolean): void;
}

const CRLF = '\r\n';
const HEAD_MAX = 64 * 1024;
const EMPTY = Buffer.alloc(0);

type State = 'head' | 'fixed' | 'chunk-size' | 'chunk-data' | 'chunk-end' | 'trailers' | 'until-close' | 'idle';

/** Reads HTTP/1.1 answers from a connection, one after the other (RFC 9112). Strict where laxness would misplace a byte. */
export class AnswerParser {
  #state: State = 'idle';
  #held: Buffer = EMPTY;
  #left = 0;
  #keepAlive = true;
  #bodiless = false;

  constructor(private readonly handlers: AnswerHandlers) {}

  /** Bytes of the present answer have been seen. */
  started = false;

  /** Bytes of the present body that are still to come, with nothing between them: 0 where that is not known. */
  get bodyLeft(): number {
    return this.#state === 'fixed' ? this.#left : 0;
  }

  expect(method: string): void {
    this.#state = 'head';
    this.#bodiless = method === 'HEAD';
    this.#held = EMPTY;
    this.started = false;
  }

  /** @throws S3Error when it is no HTTP. */
  feed(bytes: Buffer): void {
    let rest = bytes;
    this.started = true;
    if (this.#held.length > 0) {
      rest = Buffer.concat([this.#held, bytes]);
      this.#held = EMPTY;
    }
    while (rest.length > 0) {
      const used = this.#step(rest);
      if (used === 0) {
        if (rest.length > HEAD_MAX) throw broken('a head without an end');
        // What is held must outlive the buffer the socket reads into.
        this.#held = Buffer.from(rest);
        return;
      }
      rest = rest.subarray(used);
    }
  }

  /** The other side closed. @returns false when that cut an answer short. */
  closed(): boolean {
    if (this.#state === 'until-close') {
      this.#end(false);
      return true;
    }
    return this.#state === 'idle';
  }

  /** @returns how many bytes were used; 0 when more are needed. */
  #step(bytes: Buffer): number {
    switch (this.#state) {
      case 'head':
        return this.#head(bytes);
      case 'fixed':
      case 'chunk-data': {
        const size = Math.min(bytes.length, this.#left);
        this.#left -= size;
        const chunked = this.#state === 'chunk-data';
        this.handlers.onBody(size === bytes.length ? bytes : bytes.subarray(0, size));
        if (this.#left === 0) {
          if (chunked) this.#state = 'chunk-end';
          else this.#end(this.#keepAlive);
        }
        return size;
      }
      case 'until-close':
        this.handlers.onBody(bytes);
        return bytes.length;
      case 'chunk-size': {
        const end = bytes.indexOf(CRLF);
        if (end < 0) return 0;
        const text = bytes.toString('latin1', 0, end).split(';', 1)[0]!.trim();
        if (!/^[0-9a-f]{1,12}$/i.test(text)) throw broken('a chunk without a size');
        this.#left = Number.parseInt(text, 16);
        this.#state = this.#left === 0 ? 'trailers' : 'chunk-data';
        return end + 2;
      }
      case 'chunk-end':
        if (bytes.length < 2) return 0;
        if (bytes[0] !== 13 || bytes[1] !== 10) throw broken('a chunk without an end');
        this.#state = 'chunk-size';
        return 2;
      case 'trailers': {
        const end = bytes.indexOf(CRLF);
        if (end < 0) return 0;
        if (end === 0) this.#end(this.#keepAlive);
        return end + 2;
      }
      default:
        throw broken('bytes that nobody asked for');
    }
  }

  #head(bytes: Buffer): number {
    const end = bytes.indexOf('\r\n\r\n');
    if (end < 0) return 0;
    const lines = bytes.toString('latin1', 0, end).split(CRLF);
    const status = /^HTTP\/1\.([01]) (\d{3})/.exec(lines[0]!);
    if (!status) throw broken('no HTTP answer');
    const code = Number(status[2]);
    const headers: Record<string, string> = {};
    for (let i = 1; i < lines.length; i++) {
      const line = lines[i]!;
      const colon = line.indexOf(':');
      if (colon < 1) throw broken('a header without a name');
      const name = line.slice(0, colon).toLowerCase();
      const value = line.slice(colon + 1).trim();
      const before = Object.hasOwn(headers, name) ? headers[name] : undefined;
      headers[name] = before === undefined ? value : `${before}, ${value}`;
    }
    // 100 Continue, 103 Early Hints: the answer proper follows.
    if (code < 200) return end + 4;
    this.#keepAlive =
      status[1] === '1' ? !/\bclose\b/i.test(headers['connection'] ?? '') : /\bkeep-alive\b/i.test(headers['connection'] ?? '');
    this.handlers.onHead(code, headers);
    this.#frame(code, headers);
    return end + 4;
  }

  #frame(code: number, headers: Record<string, string>): void {
    const coding = headers['transfer-encoding'];
    const length = headers['content-length'];
    if (this.#bodiless || code === 204 || code === 304) this.#end(this.#keepAlive);
    else if (coding !== undefined) {
      if (!/^chunked$/i.test(coding)) throw broken(`transfer coding ${coding}`);
      this.#state = 'chunk-size';
    } else if (length === undefined) this.#state = 'until-close';
    else {
      if (!/^\d{1,15}$/.test(length)) throw broken(`content length ${length}`);
      this.#left = Number(length);
      this.#state = 'fixed';
      if (this.#left === 0) this.#end(this.#keepAlive);
    }
  }

  #end(reusable: boolean): void {
    this.#state = 'idle';
    this.handlers.onEnd(reusable);
  }
}

const broken = (what: string): S3Error => new S3Error('ConnectionFailed', `The server sent ${what}.`);
