import { BlobError } from '../../server/helper/index.js';
import { fromErrorBody } from '../../src/protocol/errors.js';
import { allowOrigins } from './cors.js';

/** A pair as the service answers it, and where it opens what. */
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
  /** Origins whose pages may ask the endpoint. */
  origins: string[];
}

const FOLDER = 'demo/admin';
const MINUTES = 15;
/** The first account's main bucket. */
export const PLACE = { region: 'us-east-1', bucket: 'main', prefix: `${FOLDER}/` } as const;

/** Key pairs that pages are given: each opens one folder for minutes, and none outlives the demo. */
export class TemporaryKeys {
  readonly #options: TemporaryKeysOptions;
  readonly #given = new Set<string>();
  #opened: Promise<void> | undefined;

  constructor(options: TemporaryKeysOptions) {
    this.#options = options;
  }

  get endpoint(): string {
    return this.#options.endpoint;
  }

  /** @throws BlobError what the service says */
  async make(): Promise<KeyPair> {
    // Pages can do nothing with a pair before the bucket lets their origin in.
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    await this.#opened;
    const pair = await this.#pair({ name: 'demo admin page', prefix: FOLDER, expires_in: MINUTES * 60 });
    this.#given.add(pair.access_key_id);
    return pair;
  }

  /** Only what was given here: the demo's key could revoke any. */
  async revoke(id: string): Promise<void> {
    if (!this.#given.delete(id)) return;
    await this.#ask('DELETE', `/${id}`).catch((error: unknown) => {
      if (!(error instanceof BlobError && error.code === 'NOT_FOUND')) throw error;
    });
  }

  /** Revokes whatever still stands. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#given].map((id) => this.revoke(id)));
  }

  /** Tells the bucket which pages may ask it, with a pair that lives for this one request. */
  async #open(): Promise<void> {
    const pair = await this.#pair({ name: 'demo CORS rule', expires_in: 60 });
    try {
      await allowOrigins({ ...PLACE, endpoint: this.endpoint, pair, origins: this.#options.origins });
    } finally {
      await this.#ask('DELETE', `/${pair.access_key_id}`);
    }
  }

  #pair(wish: { name: string; prefix?: string; expires_in: number }): Promise<KeyPair> {
    return this.#ask('POST', '', wish) as Promise<KeyPair>;
  }

  async #ask(method: string, path: string, body?: unknown): Promise<unknown> {
    const { apiKey, url } = this.#options;
    const answer = await fetch(`${url}/v1/s3-credentials${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const told = (await answer.json().catch(() => undefined)) as { response?: unknown } | undefined;
    if (!answer.ok) throw fromErrorBody(answer.status, told);
    return told?.response;
  }
}
