import { clientAddress, clientScheme } from '../../http/forwarded.js';
import { S3ServiceError } from '../errors.js';

/** A parsed request. */
export interface S3Request {
  /** Returned as `x-amz-request-id`. */
  readonly id: string;
  readonly method: string;
  /** The decoded path. */
  readonly path: string;
  readonly query: Query;
  readonly headers: Headers;
  readonly client: Client;
}

/** The client of a request, as reported by the connection and trusted proxies. */
export interface Client {
  readonly address: string;
  readonly scheme: 'http' | 'https';
}

/** A request as it arrived, without its body. */
export interface RawRequest {
  id: string;
  method: string;
  /** The request target: a path with a query, or an absolute URL from a proxy. */
  url: string;
  /** Alternating names and values. */
  rawHeaders: readonly string[];
  /** The remote address of the connection: a client or a proxy. */
  peer: string;
}

/** A request as it arrived. */
export interface IncomingRequest extends RawRequest {
  /** Opens the body. May be called once. The iterable throws if the body ends early. */
  body(): AsyncIterable<Buffer>;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
}

/** Decodes percent-encoding once. @throws S3ServiceError `InvalidURI` for invalid escapes, invalid UTF-8 and NUL, which databases cannot store. */
function decodePercent(text: string): string {
  try {
    const decoded = decodeURIComponent(text);
    if (!decoded.includes('\0')) return decoded;
  } catch (cause) {
    throw new S3ServiceError('InvalidURI', undefined, { cause });
  }
  throw new S3ServiceError('InvalidURI');
}

/** A decoded query string in its order. `+` is a space, as in S3. */
export class Query {
  readonly pairs: readonly (readonly [name: string, value: string])[];

  constructor(raw: string) {
    this.pairs = raw
      .split('&')
      .filter((pair) => pair !== '')
      .map((pair) => {
        const equals = pair.indexOf('=');
        const [name, value] = equals === -1 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
        return [decodePercent(name.replaceAll('+', ' ')), decodePercent(value.replaceAll('+', ' '))] as const;
      });
  }

  has(name: string): boolean {
    return this.pairs.some((pair) => pair[0] === name);
  }

  /** Returns the first value of a name. */
  get(name: string): string | undefined {
    return this.pairs.find((pair) => pair[0] === name)?.[1];
  }
}

/** Headers that may appear once. A proxy and this endpoint could read different values of a repeated header. */
const SINGLE_HEADERS = new Set([
  'authorization',
  'content-length',
  'content-md5',
  'content-type',
  'date',
  'expect',
  'host',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
  'range',
  'transfer-encoding',
]);

/** Request headers with lower-case names, separate repeated values, and values in latin1. */
export class Headers {
  readonly #values = new Map<string, string[]>();

  /** @param raw alternating names and values, as in `IncomingMessage.rawHeaders`. @throws S3ServiceError `InvalidRequest` for a repeated header. */
  constructor(raw: readonly string[]) {
    for (let index = 0; index < raw.length; index += 2) {
      const name = raw[index]!.toLowerCase();
      const values = this.#values.get(name);
      if (!values) this.#values.set(name, [raw[index + 1]!]);
      else if (SINGLE_HEADERS.has(name) || (name.startsWith('x-amz-') && !name.startsWith('x-amz-meta-')))
        throw new S3ServiceError('InvalidRequest', `The header ${name} may appear only once.`);
      else values.push(raw[index + 1]!);
    }
  }

  /** Returns the values of a header, joined by commas; undefined if it is absent. */
  get(name: string): string | undefined {
    return this.#values.get(name)?.join(',');
  }

  values(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  names(): string[] {
    return [...this.#values.keys()];
  }
}

/** Decodes a header value as UTF-8, or as latin1 if it is not valid UTF-8. Node and older clients send latin1. */
export function decodeHeader(value: string): string {
  // oxlint-disable-next-line no-control-regex -- matches all of ASCII
  if (/^[\u0000-\u007f]*$/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? value : text;
}

/** @param trustedProxies addresses and ranges whose `X-Forwarded-*` headers are trusted. @throws S3ServiceError */
export function parseRequest(
  { id, method, url, rawHeaders, peer }: RawRequest,
  trustedProxies: readonly string[] = [],
): S3Request {
  const target = url.replace(/^https?:\/\/[^/?]*/i, '') || '/';
  if (!target.startsWith('/') && !target.startsWith('?')) throw new S3ServiceError('InvalidURI');
  const headers = new Headers(rawHeaders);
  const coding = headers.get('transfer-encoding');
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked')
    throw new S3ServiceError('NotImplemented', undefined, { fields: { Header: 'transfer-encoding' } });
  const queryStart = target.indexOf('?');
  const path = queryStart === -1 ? target : target.slice(0, queryStart);
  return {
    id,
    method,
    path: decodePercent(path === '' ? '/' : path),
    query: new Query(queryStart === -1 ? '' : target.slice(queryStart + 1)),
    headers,
    client: {
      address: clientAddress(peer, headers.get('x-forwarded-for'), trustedProxies),
      scheme: clientScheme(peer, headers.get('x-forwarded-proto'), trustedProxies),
    },
  };
}
