import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { StoredFile } from '../storage/types.js';

/** The query of a temporary link. */
export interface LinkQuery {
  expires?: string;
  /** The id of the API key that created the link; undefined if it is independent. */
  key?: string;
  signature?: string;
}

/** Signs and verifies temporary links: URLs of one private file with an expiry and a signature. */
export class Links {
  readonly #secret: Uint8Array;

  constructor(secret: Uint8Array) {
    this.#secret = new Uint8Array(hkdfSync('sha256', secret, '', 'svc-uploader temporary links', 32));
  }

  /**
   * @param expires seconds since 1970.
   * @param keyId of the API key that creates the link; null for an independent link.
   * @returns the query of the link.
   */
  query(file: StoredFile, expires: number, keyId: string | null): string {
    const signature = this.#sign(file, expires, keyId).toString('base64url');
    return `expires=${expires}${keyId === null ? '' : `&key=${encodeURIComponent(keyId)}`}&signature=${signature}`;
  }

  /**
   * Checks the signature and expiry of a link in constant time. The caller must check the key that the query names.
   * @param now ms since 1970.
   */
  isValid(file: StoredFile, query: LinkQuery, now: number): boolean {
    const { expires = '', key = null, signature = '' } = query;
    if (!/^\d{1,12}$/.test(expires) || Number(expires) * 1000 <= now) return false;
    const received = Buffer.from(signature, 'base64url');
    const expected = this.#sign(file, Number(expires), key);
    return received.length === expected.length && timingSafeEqual(received, expected);
  }

  /**
   * Signs the id and the key of the file, so that a link ends when the file is moved or replaced. Links created before provenance was
   * recorded contain no API key.
   */
  #sign(file: StoredFile, expires: number, keyId: string | null): Buffer {
    const fields = [file.bucketId, file.id, file.key, expires, ...(keyId === null ? [] : [keyId])];
    return createHmac('sha256', this.#secret).update(JSON.stringify(fields)).digest();
  }
}
