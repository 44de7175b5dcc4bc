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

export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD';
export const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/**
 * Signature Version 4 in the `Authorization` header.
 * The signing key of a day is derived once and kept: with it a signature costs two short hashes.
 * Source: AWS, "Authenticating Requests: Using the Authorization Header (AWS Signature Version 4)".
 */
export class Signer {
  #kept: { secret: string; scope: string; key: HmacKey } | undefined;
  #second = 0;
  #stamp = '';

  constructor(
    private readonly region: string,
    private readonly sha256Hex: (bytes: Uint8Array) => string,
    private readonly service = 's3',
  ) {}

  /**
   * Adds `x-amz-date`, `x-amz-content-sha256`, `x-amz-security-token` and `authorization` to the headers. Every header
   * present is signed: stores differ in which unsigned ones they refuse.
   * @param payload SHA-256 of the body in hex, or `UNSIGNED-PAYLOAD`.
   * @param now milliseconds, corrected by what is known of the store's clock.
   */
  sign(request: Signable, credentials: Credentials, payload: string, now: number): void {
    const { headers } = request;
    const stamp = this.#timestamp(now);
    headers['x-amz-date'] = stamp;
    headers['x-amz-content-sha256'] = payload;
    if (credentials.sessionToken !== undefined) headers['x-amz-security-token'] = credentials.sessionToken;

    const names = Object.keys(headers).sort();
    let canonicalHeaders = '';
    for (const name of names) canonicalHeaders += `${name}:${canonicalValue(headers[name]!)}\n`;
    const signed = names.join(';');
    const canonical = `${request.method}\n${request.path}\n${request.query}\n${canonicalHeaders}\n${signed}\n${payload}`;
    const scope = `${stamp.slice(0, 8)}/${this.region}/${this.service}/aws4_request`;
    const toSign = `AWS4-HMAC-SHA256\n${stamp}\n${scope}\n${this.sha256Hex(headerBytes(canonical))}`;
    const signature = toHex(hmac(this.#key(credentials.secretAccessKey, scope), headerBytes(toSign)));
    headers['authorization'] =
      `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`;
  }

  #timestamp(now: number): string {
    const second = Math.floor(now / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#stamp = `${new Date(second * 1000).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
    }
    return this.#stamp;
  }

  #key(secret: string, scope: string): HmacKey {
    if (this.#kept?.secret !== secret || this.#kept.scope !== scope) {
      const [date, region, service, end] = scope.split('/') as [string, string, string, string];
      let key = utf8(`AWS4${secret}`);
      for (const step of [date, region, service, end]) key = hmac(hmacKey(key), utf8(step));
      this.#kept = { secret, scope, key: hmacKey(key) };
    }
    return this.#kept.key;
  }
}

/** Trimmed, and runs of spaces as one. */
const canonicalValue = (value: string): string => {
  const trimmed = value.trim();
  return trimmed.includes('  ') ? trimmed.replaceAll(/ {2,}/g, ' ') : trimmed;
};
