import { hmac, hmacKey, headerBytes, toHex, utf8 } from './hmac.js';
import type { HmacKey } from './hmac.js';
import type { Credentials } from '../types.js';

/**
 * The signed parts of a request. Header names are in lower case; `path` and `query` are encoded, and the query is sorted by
 * name.
 */
export interface Signable {
  method: string;
  path: string;
  query: string;
  headers: Record<string, string>;
}

/** Payload hash of a body that the signature does not cover. */
export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD';
/** SHA-256 of an empty body. */
export const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/**
 * Signs requests by Signature Version 4 in the `Authorization` header. The signing key of a day is derived once. With it, a
 * signature costs two short hashes.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-auth-using-authorization-header.html
 */
export class Signer {
  /** Signing key of the last request. */
  #cached: { secret: string; scope: string; key: HmacKey } | undefined;
  /** Second of `#timestamp`. */
  #second = 0;
  #timestamp = '';

  constructor(
    private readonly region: string,
    private readonly sha256Hex: (bytes: Uint8Array) => string,
    private readonly service = 's3',
  ) {}

  /**
   * Adds `x-amz-date`, `x-amz-content-sha256`, `x-amz-security-token` and `authorization` to the headers. Signs every header,
   * because stores differ in which unsigned headers they refuse.
   * @param payloadHash SHA-256 of the body in hex, or `UNSIGNED-PAYLOAD`
   * @param now time of the store in milliseconds since 1970
   */
  sign(request: Signable, credentials: Credentials, payloadHash: string, now: number): void {
    const { headers } = request;
    const timestamp = this.#timestampAt(now);
    headers['x-amz-date'] = timestamp;
    headers['x-amz-content-sha256'] = payloadHash;
    if (credentials.sessionToken !== undefined) headers['x-amz-security-token'] = credentials.sessionToken;

    const names = Object.keys(headers).sort();
    let canonicalHeaders = '';
    for (const name of names) canonicalHeaders += `${name}:${canonicalValue(headers[name]!)}\n`;
    const signed = names.join(';');
    const canonical = `${request.method}\n${request.path}\n${request.query}\n${canonicalHeaders}\n${signed}\n${payloadHash}`;
    const scope = `${timestamp.slice(0, 8)}/${this.region}/${this.service}/aws4_request`;
    const toSign = `AWS4-HMAC-SHA256\n${timestamp}\n${scope}\n${this.sha256Hex(headerBytes(canonical))}`;
    const signature = toHex(hmac(this.#signingKey(credentials.secretAccessKey, scope), headerBytes(toSign)));
    headers['authorization'] =
      `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`;
  }

  #timestampAt(now: number): string {
    const second = Math.floor(now / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#timestamp = `${new Date(second * 1000).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
    }
    return this.#timestamp;
  }

  #signingKey(secret: string, scope: string): HmacKey {
    if (this.#cached?.secret !== secret || this.#cached.scope !== scope) {
      const [date, region, service, end] = scope.split('/') as [string, string, string, string];
      let key = utf8(`AWS4${secret}`);
      for (const step of [date, region, service, end]) key = hmac(hmacKey(key), utf8(step));
      this.#cached = { secret, scope, key: hmacKey(key) };
    }
    return this.#cached.key;
  }
}

/** Trims a header value and joins runs of spaces. */
const canonicalValue = (value: string): string => {
  const trimmed = value.trim();
  return trimmed.includes('  ') ? trimmed.replaceAll(/ {2,}/g, ' ') : trimmed;
};
