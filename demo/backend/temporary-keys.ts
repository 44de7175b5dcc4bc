import { BlobError } from '../../server/helper/index.js';
import { fromErrorBody } from '../../src/protocol/error-response.js';
import { allowOriginsInBucket } from './cors.js';

/** An S3 key pair, as the service returns it. */
export interface KeyPair {
  access_key_id: string;
  secret_access_key: string;
  expires_at: string | null;
}

export interface TemporaryKeysOptions {
  apiKey: string;
  /** Base address of Blob Storage. */
  url: string;
  /** Base address of its S3 endpoint. */
  endpoint: string;
  /** Origins whose pages may use the endpoint. */
  origins: string[];
}

const FOLDER = 'demo/admin';
const LIFETIME_SECONDS = 15 * 60;
/** The folder of the main bucket that the key pairs open. */
export const STORE_LOCATION = { region: 'us-east-1', bucket: 'main', prefix: `${FOLDER}/` } as const;

/** Creates key pairs for pages. Each opens one folder for minutes, and `close` revokes all of them. */
export class TemporaryKeys {
  readonly #options: TemporaryKeysOptions;
  readonly #issued = new Set<string>();
  #bucketOpened: Promise<void> | undefined;

  constructor(options: TemporaryKeysOptions) {
    this.#options = options;
  }

  get endpoint(): string {
    return this.#options.endpoint;
  }

  /** @throws BlobError the error of the service */
  async create(): Promise<KeyPair> {
    // A page can use a key pair only after the bucket admits its origin. A failed attempt is repeated by the next call.
    this.#bucketOpened ??= this.#openBucket().catch((error: unknown) => {
      this.#bucketOpened = undefined;
      throw error;
    });
    await this.#bucketOpened;
    const pair = await this.#createPair({ name: 'demo admin page', prefix: FOLDER, expires_in: LIFETIME_SECONDS });
    this.#issued.add(pair.access_key_id);
    return pair;
  }

  /** Revokes a pair that this object created. Ids of other pairs are ignored, because the API key could revoke any pair. */
  async revoke(id: string): Promise<void> {
    if (!this.#issued.delete(id)) return;
    await this.#request('DELETE', `/${id}`).catch((error: unknown) => {
      if (!(error instanceof BlobError && error.code === 'NOT_FOUND')) throw error;
    });
  }

  /** Revokes all remaining pairs. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#issued].map((id) => this.revoke(id)));
  }

  /** Adds the CORS rule of the bucket, with a key pair that is deleted afterwards. */
  async #openBucket(): Promise<void> {
    const pair = await this.#createPair({ name: 'demo CORS rule', expires_in: 60 });
    const credentials = { accessKeyId: pair.access_key_id, secretAccessKey: pair.secret_access_key };
    try {
      await allowOriginsInBucket({ ...STORE_LOCATION, endpoint: this.endpoint, credentials, origins: this.#options.origins });
    } finally {
      await this.#request('DELETE', `/${pair.access_key_id}`);
    }
  }

  #createPair(body: { name: string; prefix?: string; expires_in: number }): Promise<KeyPair> {
    return this.#request('POST', '', body) as Promise<KeyPair>;
  }

  async #request(method: string, path: string, body?: unknown): Promise<unknown> {
    const { apiKey, url } = this.#options;
    const response = await fetch(`${url}/v1/s3-credentials${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const json = (await response.json().catch(() => undefined)) as { response?: unknown } | undefined;
    if (!response.ok) throw fromErrorBody(response.status, json);
    return json?.response;
  }
}
