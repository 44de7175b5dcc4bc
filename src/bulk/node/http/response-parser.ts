import { S3Error } from '../../errors.js';

/** Receives the parts of a response. */
export interface ResponseHandlers {
  onHead(status: number, headers: Record<string, string>): void;
  onBody(piece: Uint8Array): void;
  /** The response is complete. `reusable` tells whether the connection may carry another request. */
  onEnd(reusable: boolean): void;
}

const CRLF = '\r\n';
/** Bytes of a head, of a chunk-size line, or of all trailers. */
const MAX_HEAD = 64 * 1024;
const MAX_INTERIM_RESPONSES = 100;
const EMPTY = Buffer.alloc(0);
const STATUS_LINE = /^HTTP\/1\.([01]) (\d{3})(?: |$)/;
/** A token of RFC 9110. Spaces before the colon and folded lines would let two parsers disagree. */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const FORBIDDEN_IN_VALUE = /[\r\n\0]/;

type State = 'head' | 'fixed' | 'chunk-size' | 'chunk-data' | 'chunk-end' | 'trailers' | 'until-close' | 'idle';

/**
 * Parses the HTTP/1.1 responses of a connection, one after the other. Rejects every response of which two parsers could see
 * different ends: such a response could smuggle bytes into the next one.
 * @see RFC 9112
 */
export class ResponseParser {
  #state: State = 'idle';
  /** Bytes of an incomplete head or line. */
  #incomplete: Buffer = EMPTY;
  /** Bytes of the body, or of the chunk, that are still to come. */
  #left = 0;
  #trailerBytes = 0;
  #interimResponses = 0;
  #keepAlive = true;
  #isHead = false;

  constructor(private readonly handlers: ResponseHandlers) {}

  /** True when bytes of the current response have arrived. */
  started = false;

  /** Bytes of the current body that are still to come in one piece. 0 if the body is chunked or ends with the connection. */
  get bodyLeft(): number {
    return this.#state === 'fixed' ? this.#left : 0;
  }

  /** Prepares for the response to a request with this method. */
  expect(method: string): void {
    this.#state = 'head';
    this.#isHead = method === 'HEAD';
    this.#incomplete = EMPTY;
    this.#interimResponses = 0;
    this.started = false;
  }

  /** @throws S3Error `ConnectionFailed` if the bytes are no valid response */
  feed(bytes: Buffer): void {
    let rest = bytes;
    this.started = true;
    if (this.#incomplete.length > 0) {
      rest = Buffer.concat([this.#incomplete, bytes]);
      this.#incomplete = EMPTY;
    }
    while (rest.length > 0) {
      const used = this.#parse(rest);
      if (used === 0) {
        if (rest.length > MAX_HEAD) throw invalid('a head or chunk line longer than 64 KiB');
        // A copy, because the socket reuses its buffer.
        this.#incomplete = Buffer.from(rest);
        return;
      }
      rest = rest.subarray(used);
    }
  }

  /** Handles the end of the connection. @returns false if it cut a response short */
  closed(): boolean {
    if (this.#state === 'until-close') {
      this.#end(false);
      return true;
    }
    return this.#state === 'idle';
  }

  /** @returns the number of bytes used; 0 if more are needed */
  #parse(bytes: Buffer): number {
    switch (this.#state) {
      case 'head':
        return this.#parseHead(bytes);
      case 'fixed':
      case 'chunk-data':
        return this.#parseData(bytes);
      case 'until-close':
        this.handlers.onBody(bytes);
        return bytes.length;
      case 'chunk-size':
        return this.#parseChunkSize(bytes);
      case 'chunk-end':
        return this.#parseChunkEnd(bytes);
      case 'trailers':
        return this.#parseTrailer(bytes);
      default:
        throw invalid('bytes after the end of its response');
    }
  }

  #parseHead(bytes: Buffer): number {
    const end = bytes.indexOf('\r\n\r\n');
    if (end < 0) return 0;
    const lines = bytes.toString('latin1', 0, end).split(CRLF);
    const [, minor, status] = STATUS_LINE.exec(lines[0]!) ?? [];
    if (status === undefined) throw invalid('no HTTP response');
    const headers = parseHeaders(lines.slice(1));
    const code = Number(status);
    if (code === 101) throw invalid('an upgrade that was not requested');
    if (code < 200) {
      // 100 Continue and 103 Early Hints: the response follows.
      if (++this.#interimResponses > MAX_INTERIM_RESPONSES) throw invalid('interim responses without end');
      return end + 4;
    }
    const connection = headers['connection'] ?? '';
    this.#keepAlive = minor === '1' ? !/\bclose\b/i.test(connection) : /\bkeep-alive\b/i.test(connection);
    if (minor === '0' && headers['transfer-encoding'] !== undefined) throw invalid('a transfer coding in HTTP/1.0');
    this.handlers.onHead(code, headers);
    this.#startBody(code, headers);
    return end + 4;
  }

  #startBody(code: number, headers: Record<string, string>): void {
    const coding = headers['transfer-encoding'];
    const length = headers['content-length'];
    if (coding !== undefined && length !== undefined) throw invalid('both Content-Length and Transfer-Encoding');
    // Repeated headers are joined by a comma and fail here as well.
    if (coding !== undefined && !/^chunked$/i.test(coding)) throw invalid(`the transfer coding ${coding}`);
    if (length !== undefined && !/^\d{1,15}$/.test(length)) throw invalid(`the content length ${length}`);

    if (this.#isHead || code === 204 || code === 304) this.#end(this.#keepAlive);
    else if (coding !== undefined) this.#state = 'chunk-size';
    else if (length === undefined) this.#state = 'until-close';
    else {
      this.#left = Number(length);
      this.#state = 'fixed';
      if (this.#left === 0) this.#end(this.#keepAlive);
    }
  }

  #parseData(bytes: Buffer): number {
    const size = Math.min(bytes.length, this.#left);
    const isChunk = this.#state === 'chunk-data';
    this.#left -= size;
    this.handlers.onBody(size === bytes.length ? bytes : bytes.subarray(0, size));
    if (this.#left > 0) return size;
    if (isChunk) this.#state = 'chunk-end';
    else this.#end(this.#keepAlive);
    return size;
  }

  #parseChunkSize(bytes: Buffer): number {
    const end = bytes.indexOf(CRLF);
    if (end < 0) return 0;
    const line = bytes.toString('latin1', 0, end);
    const [, size] = /^([0-9a-f]{1,12})[ \t]*(?:;[^\r\n\0]*)?$/i.exec(line) ?? [];
    if (size === undefined) throw invalid('a chunk without a valid size');
    this.#left = Number.parseInt(size, 16);
    this.#trailerBytes = 0;
    this.#state = this.#left === 0 ? 'trailers' : 'chunk-data';
    return end + 2;
  }

  #parseChunkEnd(bytes: Buffer): number {
    if (bytes.length < 2) return 0;
    if (bytes[0] !== 13 || bytes[1] !== 10) throw invalid('a chunk longer than its size');
    this.#state = 'chunk-size';
    return 2;
  }

  #parseTrailer(bytes: Buffer): number {
    const end = bytes.indexOf(CRLF);
    if (end < 0) return 0;
    this.#trailerBytes += end + 2;
    if (this.#trailerBytes > MAX_HEAD) throw invalid('trailers longer than 64 KiB');
    if (end === 0) this.#end(this.#keepAlive);
    return end + 2;
  }

  #end(reusable: boolean): void {
    this.#state = 'idle';
    this.handlers.onEnd(reusable);
  }
}

/** Joins repeated headers by a comma. */
function parseHeaders(lines: string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (!HEADER_NAME.test(name)) throw invalid('a header without a valid name');
    if (FORBIDDEN_IN_VALUE.test(value)) throw invalid(`a line break in the header ${name}`);
    const before = Object.hasOwn(headers, name) ? headers[name] : undefined;
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return headers;
}

const invalid = (what: string): S3Error => new S3Error('ConnectionFailed', `The server sent ${what}.`);
