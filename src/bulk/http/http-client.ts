import { S3Error } from '../errors.js';

/** HTTP clients send requests: `node:net` and `node:tls` in Node, `fetch` and XMLHttpRequest in a page. */

/** Scheme, name and port of a server, as `https://host:port` has them. */
export interface Origin {
  secure: boolean;
  hostname: string;
  port: number;
  /** As the `Host` header says it: without the port where it is the scheme's own. */
  host: string;
}

/** A body too large to hold: its pieces in order, together exactly `size` bytes. A piece is done with when the next is asked for. */
export interface BodyPieces {
  size: number;
  next(): Uint8Array | undefined | Promise<Uint8Array | undefined>;
  /** All of it, as the platform holds it: a wire that can send it so need not ask for pieces. */
  blob?: Blob;
}

export interface HttpRequest {
  method: string;
  origin: Origin;
  /** Path and query, encoded. */
  target: string;
  /** Names in lower case. `content-length` is the wire's business. */
  headers: Record<string, string>;
  body?: Uint8Array | BodyPieces;
  signal: AbortSignal;
  /**
   * Takes the body of a 2xx answer piece by piece; a piece is valid during the call only, and the next comes when the promise is
   * settled. Without it, the body is gathered.
   */
  onData?: (piece: Uint8Array, headers: Record<string, string>) => void | Promise<void>;
  /**
   * Memory in which the next piece would be of use where it is, not to be touched while `onData` is busy. A wire that can read into it does;
   * others come with memory of their own.
   */
  room?: () => Uint8Array | undefined;
  /** Told as body bytes leave, so that progress means something. */
  onSent?: (bytes: number) => void;
}

export interface HttpResponse {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** Empty when `onData` took it. */
  body: Uint8Array;
}

export interface HttpClient {
  /** @throws S3Error `ConnectionFailed`, `Stalled` or `Aborted`; every answer, whatever its status, is no error. */
  send(request: HttpRequest): Promise<HttpResponse>;
  /** Whether a target goes as it is. A page's does not: it resolves the segments `.` and `..`. */
  readonly isLiteral?: boolean;
  /** Closes idle connections. Connections in use finish their request first. Each later request opens its own connection. */
  close(): void;
}

export function originOf(url: URL): Origin {
  const secure = url.protocol === 'https:';
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  return { secure, hostname: url.hostname.replace(/^\[|\]$/g, ''), port, host: url.host };
}

/**
 * A line break in what somebody gave (a header, a bucket's name, a key pair read from a file) would end its line early, and begin a
 * request of its own; a character of more than a byte would be another on the wire than was signed. @throws S3Error `InvalidOption`
 */
export function validateRequestHead(target: string, headers: Record<string, string>): void {
  if (/[^\x21-\x7e]/.test(target))
    throw new S3Error('InvalidOption', `No address may have such characters: ${JSON.stringify(target)}`);
  for (const name in headers)
    if (/[^\t\x20-\x7e\x80-\xff]/.test(headers[name]!))
      throw new S3Error('InvalidOption', `${name}: a header may have no line break, and no character beyond Latin-1.`);
}
