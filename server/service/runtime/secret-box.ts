import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Decrypted secrets in the cache. */
const MAX_DECRYPTED = 1000;

/**
 * Encrypts secrets that the service must know again, with AES-256-GCM. Each is bound to the id of its record. The key is derived from the
 * server secret, so a copy of the database alone reveals no secret.
 */
export class SecretBox {
  readonly #key: Buffer;
  /** Secrets by id and encrypted form. A changed secret therefore never gets a cached one. */
  readonly #decrypted = new Map<string, string>();

  /** @param serverSecret at least 32 bytes, equal on all replicas. @param purpose another text for each kind of secret. */
  constructor(serverSecret: Uint8Array, purpose: string) {
    if (serverSecret.length < 32)
      throw new RangeError(`The server secret must have at least 32 bytes; got ${serverSecret.length}.`);
    this.#key = Buffer.from(hkdfSync('sha256', serverSecret, '', purpose, 32));
  }

  seal(id: string, secret: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(id));
    return Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64');
  }

  /** @throws Error if the text was sealed for another id or by another server secret. */
  open(id: string, sealed: string): string {
    const cacheKey = `${id}\n${sealed}`;
    const cached = this.#decrypted.get(cacheKey);
    if (cached !== undefined) return cached;
    const bytes = Buffer.from(sealed, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, NONCE_BYTES))
      .setAAD(Buffer.from(id))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    const opened = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
    const secret = opened.toString('utf8');
    if (this.#decrypted.size >= MAX_DECRYPTED) this.#decrypted.clear();
    this.#decrypted.set(cacheKey, secret);
    return secret;
  }
}
