import { createHmac, hkdfSync } from 'node:crypto';
import { equalBytes } from '../runtime/equal-bytes.js';

/**
 * Issues passes to visitors who have sent the password of a share. A browser keeps a pass in a cookie. It opens one share and ends when the
 * password changes, because it is derived from the stored hash.
 */
export class SharePasses {
  readonly #secret: Uint8Array;

  constructor(secret: Uint8Array) {
    this.#secret = new Uint8Array(hkdfSync('sha256', secret, '', 'svc-uploader share passes', 32));
  }

  issue(shareId: string, passwordHash: string): string {
    return createHmac('sha256', this.#secret)
      .update(JSON.stringify([shareId, passwordHash]))
      .digest('base64url');
  }

  /** Compares in constant time. */
  isValid(pass: string, shareId: string, passwordHash: string): boolean {
    const received = Buffer.from(pass);
    const expected = Buffer.from(this.issue(shareId, passwordHash));
    return equalBytes(received, expected);
  }
}
