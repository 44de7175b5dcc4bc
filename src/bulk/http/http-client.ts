import { S3Error } from '../errors.js';

/** The interface of HTTP clients. `fetch-client.ts` implements it for pages, `node/http/http-client.ts` for Node. */

/** Scheme, host and port of a server. */
export interface Origin {
  /** Whether the scheme is https. */
  secure: boolean;
  /** Host name or IP address, without brackets. */
  hostname: string;
  port: number;
  /** Value of the `Host` header. It has a port only if that is not the default of the scheme. */
  host: string;
}

/** A request body in pieces. Together they are exactly `size` bytes. */
export interface BodyPieces {
  size: number;
  /** Returns the next piece; undefined at the end. Invalidates the piece before. */
  next(): Uint8Array | undefined | Promise<Uint8Array | undefined>;
  /** The whole body, if the platform holds it as a Blob. A client that can send Blobs need not read the pieces. */
  blob?: Blob;
}

/** One request. */
export interface HttpRequest {
  method: string;
  origin: Origin;
  /** Path and query, encoded. */
  target: string;
  /** Headers with names in lower case. The client adds `content-length`. */
  headers: Record<string, string>;
  /** @default no body */
  body?: Uint8Array | BodyPieces;
  /** Aborts the request. */
  signal: AbortSignal;
  /**
   * Receives the body of a 2xx response in pieces. A piece is valid until the call returns or its promise settles; the next piece
   * follows then. @default the body is returned in the response
   */
  onData?: (piece: Uint8Array, headers: Record<string, string>) => void | Promise<void>;
  /**
   * Returns memory into which the client may read the next piece, to save a copy. The client must not write to it while `onData`
   * runs. Clients may ignore it and pass pieces in their own memory. @default none
   */
  room?: () => Uint8Array | undefined;
  /** Called with the number of body bytes that were just sent. */
  onSent?: (bytes: number) => void;
}

/** One response. */
export interface HttpResponse {
  status: number;
  /** Headers with names in lower case. */
  headers: Record<string, string>;
  /** Empty if `onData` received the body. */
  body: Uint8Array;
}

/** Sends requests. */
export interface HttpClient {
  /** Resolves with the response, whatever its status. @throws S3Error `ConnectionFailed`, `Stalled` or `Aborted` */
  send(request: HttpRequest): Promise<HttpResponse>;
  /** Whether targets are sent unchanged. Browsers resolve the segments `.` and `..` first. @default false */
  readonly isLiteral?: boolean;
  /** Closes idle connections. Connections in use finish their request first. Each later request opens its own connection. */
  close(): void;
}

/** Returns the origin of a URL. */
export function originOf(url: URL): Origin {
  const secure = url.protocol === 'https:';
  const defaultPort = secure ? 443 : 80;
  const port = url.port === '' ? defaultPort : Number(url.port);
  return { secure, hostname: url.hostname.replace(/^\[|\]$/g, ''), port, host: url.host };
}

/**
 * Rejects characters that would change the request. A line break would end a header and begin another request. A character
 * beyond Latin-1 would be sent as other bytes than were signed.
 * @throws S3Error `InvalidOption`
 */
export function validateRequestHead(target: string, headers: Record<string, string>): void {
  if (/[^\x21-\x7e]/.test(target))
    throw new S3Error('InvalidOption', `The address must be printable ASCII; got ${JSON.stringify(target)}.`);
  for (const name in headers)
    if (/[^\t\x20-\x7e\x80-\xff]/.test(headers[name]!))
      throw new S3Error('InvalidOption', `${name}: a header must not have line breaks or characters beyond Latin-1.`);
}
