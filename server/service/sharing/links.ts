import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { StoredFile } from '../storage/types.js';

/** The query of a temporary link, as it arrives. */
export interface LinkQuery {
  expires?: string;
  /** The API key that created the link; undefined: the link is independent. */
  key?: string;
  signature?: string;
}

/** Temporary links: the address of a private file with an end and a signature, which opens that file and nothing else. */
export class Links {
  readonly #secret: Uint8Array;

  constructor(secret: Uint8Array) {
    this.#secret = new Uint8Array(hkdfSync('sha256', secret, '', 'svc-uploader temporary links', 32));
  }

  /**
   * @param expires seconds since 1970.
   * @param keyId of the API key that creates the link; null: independent.
   * @returns the query that opens the file.
   */
  query(file: StoredFile, expires: number, keyId: string | null): string {
    const signature = this.#sign(file, expires, keyId).toString('base64url');
    return `expires=${expires}${keyId === null ? '' : `&key=${encodeURIComponent(keyId)}`}&signature=${signature}`;
  }

  /**
   * Whether a query was signed for this file and has not expired at `now` (ms). Compared in constant time. The caller judges the key that the
   * query names.
   */
  opens(file: StoredFile, query: LinkQuery, now: number): boolean {
    const { expires = '', key = null, signature = '' } = query;
    if (!/^\d{1,12}$/.test(expires) || Number(expires) * 1000 <= now) return false;
    const given = Buffer.from(signature, 'base64url');
    const right = this.#sign(file, Number(expires), key);
    return given.length === right.length && timingSafeEqual(given, right);
  }

  /**
   * Signs the id as well as the key: a file that was moved away or stored anew is another one. Links from before provenance was recorded
   * name no API key and are signed without one.
   */
  #sign(file: StoredFile, expires: number, keyId: string | null): Buffer {
    const signed = [file.bucketId, file.id, file.key, expires, ...(keyId === null ? [] : [keyId])];
    return createHmac('sha256', this.#secret).update(JSON.stringify(signed)).digest();
  }
}
