import { expect } from 'chai';
import type { QueueOptions, TokenProvider, TokenReason, UploadItem, UploadQueue } from '../../../src/queue/types.js';
import { createUploadQueue } from '../../../src/queue/upload-queue.js';
import type { FileRecord, TokenGrant, UploadTokenOptions, UploadTokenRecord } from '../../../src/protocol/types.js';
import type { SessionCommand, PageRule, RequestSummary } from '../../support/faulty-service.js';

/** The page's side of test/support/faulty-service.ts: the real service behind a proxy that breaks what it is told to break. */
export class Bench {
  readonly reasons: TokenReason[] = [];
  readonly #queues: UploadQueue[] = [];

  private constructor(
    readonly id: string,
    readonly url: string,
  ) {}

  static async open(): Promise<Bench> {
    const { id, url } = await post<{ id: string; url: string }>('/lab', {});
    return new Bench(id, url);
  }

  mint = (options?: UploadTokenOptions): Promise<TokenGrant> => this.#obey({ do: 'mint', ...(options && { options }) });
  revoke = (token: string): Promise<null> => this.#obey({ do: 'revoke', token });
  rule = (rule: PageRule): Promise<null> => this.#obey({ do: 'rule', rule });
  heal = (): Promise<null> => this.#obey({ do: 'heal' });
  offline = (): Promise<null> => this.#obey({ do: 'offline' });
  online = (): Promise<null> => this.#obey({ do: 'online' });
  files = (): Promise<FileRecord[]> => this.#obey({ do: 'files' });
  tokens = (): Promise<UploadTokenRecord[]> => this.#obey({ do: 'tokens' });
  requests = (): Promise<RequestSummary[]> => this.#obey({ do: 'requests' });

  /** Mints for the files that wait, and notes why it was asked. */
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
      retry: { tries: 8, base: 20, cap: 200, patience: 60_000 },
      ...options,
    });
    this.#queues.push(queue);
    return queue;
  }

  /** Every file is stored once, with its bytes, and no use was spent on anything else. */
  async expectStoredOnce(files: readonly File[]): Promise<void> {
    const stored = await this.files();
    const want = (await Promise.all(files.map(sha256))).sort();
    expect(stored.map((file) => file.sha256).sort()).to.deep.equal(want);
    const uses = (await this.tokens()).reduce((sum, token) => sum + token.uses, 0);
    expect(uses, 'uses spent').to.equal(files.length);
  }

  async close(): Promise<void> {
    for (const queue of this.#queues) queue.destroy();
    await this.#obey({ do: 'close' });
  }

  #obey<T>(command: SessionCommand): Promise<T> {
    return post(`/lab/${this.id}`, command);
  }
}

async function post<T>(path: string, body: unknown): Promise<T> {
  const response = await fetch(path, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as T;
}

/** Files of pseudo-random bytes, each another. */
export function someFiles(count: number, size: number, name = (index: number) => `file ${index}.bin`): File[] {
  return Array.from({ length: count }, (_, index) => {
    const bytes = new Uint8Array(size);
    let seed = index + size + 1;
    for (let at = 0; at < size; at++) {
      seed = (Math.imul(seed, 1664525) + 1013904223) | 0;
      bytes[at] = seed >>> 24;
    }
    return new File([bytes], name(index), { type: 'application/octet-stream', lastModified: 1 });
  });
}

export async function sha256(file: Blob): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer());
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export const completed = (queue: UploadQueue): Promise<{ successful: UploadItem[]; failed: UploadItem[] }> =>
  new Promise((resolve) => queue.on('complete', resolve));

/** Resolves when an event of the queue fits. */
export const until = (queue: UploadQueue, fits: () => boolean): Promise<void> =>
  new Promise((resolve) => {
    const stop = queue.on('change', () => {
      if (!fits()) return;
      stop();
      resolve();
    });
  });
