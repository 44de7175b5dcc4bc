import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { StoredFile } from '../blobs/types.js';

/** Temporary links: the address of a private file with an end and a signature, which opens that file and nothing else. */
export class Links {
  readonly #key: Uint8Array;

  constructor(secret: Uint8Array) {
    this.#key = new Uint8Array(hkdfSync('sha256', secret, '', 'svc-uploader temporary links', 32));
  }

  /** @param expires seconds since 1970. @returns the query that opens the file. */
  query(file: StoredFile, expires: number): string {
    return `expires=${expires}&signature=${this.#sign(file, expires).toString('base64url')}`;
  }

  /** Whether a query opens this file now (ms). Compared in constant time. */
  opens(file: StoredFile, query: { expires?: string; signature?: string }, now: number): boolean {
    const { expires = '', signature = '' } = query;
    if (!/^\d{1,12}$/.test(expires) || Number(expires) * 1000 <= now) return false;
    const given = Buffer.from(signature, 'base64url');
    const right = this.#sign(file, Number(expires));
    return given.length === right.length && timingSafeEqual(given, right);
  }

  /** Over the id as well as the key: a file moved away or made anew is another. */
  #sign(file: StoredFile, expires: number): Buffer {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([file.bucketId, file.id, file.key, expires]))
      .digest();
  }
}
