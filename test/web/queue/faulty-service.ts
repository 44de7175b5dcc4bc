import { expect } from 'chai';
import type { QueueOptions, TokenProvider, TokenReason, UploadItem, UploadQueue } from '../../../src/queue/types.js';
import { createUploadQueue } from '../../../src/queue/upload-queue.js';
import type { FileRecord, TokenGrant, UploadTokenOptions, UploadTokenRecord } from '../../../src/protocol/types.js';
import type { SessionCommand, PageRule, RequestSummary } from '../../support/faulty-service.js';

/** Controls test/support/faulty-service.ts from the page: the real service behind a proxy that injects faults. */
export class FaultyService {
  readonly reasons: TokenReason[] = [];
  readonly #queues: UploadQueue[] = [];

  private constructor(
    readonly id: string,
    readonly url: string,
  ) {}

  static async open(): Promise<FaultyService> {
    const { id, url } = await post<{ id: string; url: string }>('/lab', {});
    return new FaultyService(id, url);
  }

  mint = (options?: UploadTokenOptions): Promise<TokenGrant> => this.#run({ do: 'mint', ...(options && { options }) });
  revoke = (token: string): Promise<null> => this.#run({ do: 'revoke', token });
  rule = (rule: PageRule): Promise<null> => this.#run({ do: 'rule', rule });
  heal = (): Promise<null> => this.#run({ do: 'heal' });
  offline = (): Promise<null> => this.#run({ do: 'offline' });
  online = (): Promise<null> => this.#run({ do: 'online' });
  files = (): Promise<FileRecord[]> => this.#run({ do: 'files' });
  tokens = (): Promise<UploadTokenRecord[]> => this.#run({ do: 'tokens' });
  requests = (): Promise<RequestSummary[]> => this.#run({ do: 'requests' });

  /** Creates a provider that mints tokens and records why each was requested. */
  provider(options: (request: { files: readonly unknown[] }) => UploadTokenOptions): TokenProvider {
    return (request) => {
      this.reasons.push(request.reason);
      return this.mint(options(request));
    };
  }

  queue(options: Partial<QueueOptions> = {}): UploadQueue {
    const queue = createUploadQueue({
      endpoint: this.url,
      tokenProvider: this.provider(({ files }) => ({ max_uses: files.length })),
      retry: { maxAttempts: 8, baseDelayMs: 20, maxDelayMs: 200, maxWaitMs: 60_000 },
      ...options,
    });
    this.#queues.push(queue);
    return queue;
  }

  /** Expects that every file is stored once, with its bytes, and that no other use of a token was spent. */
  async expectStoredOnce(files: readonly File[]): Promise<void> {
    const stored = await this.files();
    const expected = (await Promise.all(files.map(sha256))).sort();
    expect(stored.map((file) => file.sha256).sort()).to.deep.equal(expected);
    const uses = (await this.tokens()).reduce((sum, token) => sum + token.uses, 0);
    expect(uses, 'uses spent').to.equal(files.length);
  }

  async close(): Promise<void> {
    for (const queue of this.#queues) queue.destroy();
    await this.#run({ do: 'close' });
  }

  #run<T>(command: SessionCommand): Promise<T> {
    return post(`/lab/${this.id}`, command);
  }
}

async function post<T>(path: string, body: unknown): Promise<T> {
  const response = await fetch(path, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as T;
}

/** Creates files of pseudo-random bytes, all different. */
export function createFiles(count: number, size: number, name = (index: number) => `file ${index}.bin`): File[] {
  return Array.from({ length: count }, (_, index) => {
    const bytes = new Uint8Array(size);
    let seed = index + size + 1;
    for (let offset = 0; offset < size; offset++) {
      seed = (Math.imul(seed, 1664525) + 1013904223) | 0;
      bytes[offset] = seed >>> 24;
    }
    return new File([bytes], name(index), { type: 'application/octet-stream', lastModified: 1 });
  });
}

export async function sha256(file: Blob): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer());
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export const waitForCompletion = (queue: UploadQueue): Promise<{ successful: UploadItem[]; failed: UploadItem[] }> =>
  new Promise((resolve) => queue.on('complete', resolve));

/** Resolves at the first change of a file after which a condition is true. */
export const until = (queue: UploadQueue, isTrue: () => boolean): Promise<void> =>
  new Promise((resolve) => {
    const stop = queue.on('change', () => {
      if (!isTrue()) return;
      stop();
      resolve();
    });
  });
