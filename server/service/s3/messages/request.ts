import { clientAddress, clientScheme } from '../../http/forwarded.js';
import { S3Error } from '../errors.js';

/** What of a request the endpoint looks at, parsed once; nothing here touches a socket. */
export interface S3Request {
  /** The id of this request, answered as `x-amz-request-id`. */
  readonly id: string;
  readonly method: string;
  /** The path, decoded once. */
  readonly path: string;
  readonly query: Query;
  readonly headers: Headers;
  readonly client: Client;
}

/** Who sends a request, as the connection and trusted proxies report it. */
export interface Client {
  readonly address: string;
  readonly scheme: 'http' | 'https';
}

/** A request as it arrived. */
export interface RawRequest {
  id: string;
  method: string;
  /** The request target: a path with a query, or an absolute address as a proxy sends it. */
  url: string;
  /** Alternating names and values. */
  rawHeaders: readonly string[];
  /** The address of the connection's other end: the client or a proxy. */
  peer: string;
}

/** Decodes percent-encoding exactly once; broken escapes, bytes that are not UTF-8 and NUL (which no database keeps) are refused. */
function decode(text: string): string {
  try {
    const decoded = decodeURIComponent(text);
    if (!decoded.includes('\0')) return decoded;
  } catch (cause) {
    throw new S3Error('InvalidURI', undefined, { cause });
  }
  throw new S3Error('InvalidURI');
}

/** A query string in order, decoded; `+` is a space, as S3 reads it. */
export class Query {
  readonly pairs: readonly (readonly [name: string, value: string])[];

  constructor(raw: string) {
    this.pairs = raw
      .split('&')
      .filter((pair) => pair !== '')
      .map((pair) => {
        const at = pair.indexOf('=');
        const [name, value] = at === -1 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
        return [decode(name.replaceAll('+', ' ')), decode(value.replaceAll('+', ' '))] as const;
      });
  }

  has(name: string): boolean {
    return this.pairs.some((pair) => pair[0] === name);
  }

  /** The first value of a name. */
  get(name: string): string | undefined {
    return this.pairs.find((pair) => pair[0] === name)?.[1];
  }
}

/** Headers that may stand once only: a second one is how two readers are made to disagree about a request. */
const SINGLE = new Set([
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

/** Request headers as they came: names lower-cased, repeated values kept apart, bytes as latin1. */
export class Headers {
  readonly #values = new Map<string, string[]>();

  /** @param raw alternating names and values, as `IncomingMessage.rawHeaders` has them. @throws S3Error for a repeated single header. */
  constructor(raw: readonly string[]) {
    for (let at = 0; at < raw.length; at += 2) {
      const name = raw[at]!.toLowerCase();
      const seen = this.#values.get(name);
      if (!seen) this.#values.set(name, [raw[at + 1]!]);
      else if (SINGLE.has(name) || (name.startsWith('x-amz-') && !name.startsWith('x-amz-meta-')))
        throw new S3Error('InvalidRequest', `The header ${name} is given more than once.`);
      else seen.push(raw[at + 1]!);
    }
  }

  /** All values of a header in one, joined as HTTP allows; undefined when it is absent. */
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

/** A header's bytes read as UTF-8 where they are UTF-8, else as latin1 (what node and older clients send). */
export function headerText(value: string): string {
  // oxlint-disable-next-line no-control-regex -- ASCII is the range meant
  if (/^[\u0000-\u007f]*$/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? value : text;
}

/** @param trustedProxies addresses and ranges whose `X-Forwarded-*` headers are believed. */
export function parseRequest(
  { id, method, url, rawHeaders, peer }: RawRequest,
  trustedProxies: readonly string[] = [],
): S3Request {
  const target = url.replace(/^https?:\/\/[^/?]*/i, '') || '/';
  if (!target.startsWith('/') && !target.startsWith('?')) throw new S3Error('InvalidURI');
  const headers = new Headers(rawHeaders);
  const coding = headers.get('transfer-encoding');
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked')
    throw new S3Error('NotImplemented', undefined, { fields: { Header: 'transfer-encoding' } });
  const at = target.indexOf('?');
  const path = at === -1 ? target : target.slice(0, at);
  return {
    id,
    method,
    path: decode(path === '' ? '/' : path),
    query: new Query(at === -1 ? '' : target.slice(at + 1)),
    headers,
    client: {
      address: clientAddress(peer, headers.get('x-forwarded-for'), trustedProxies),
      scheme: clientScheme(peer, headers.get('x-forwarded-proto'), trustedProxies),
    },
  };
}
