import type { Integrity, StoreOptions } from '../../src/bulk/s3/store-options.js';
import type { SortedSource } from '../../src/bulk/types.js';
import type { SyncOptions } from '../../src/bulk/sync/sync-options.js';
import type { RetryOptions } from '../../src/bulk/transfer/run-options.js';
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type {
  BucketEntry,
  BulkTransfer,
  Comparison,
  Journal,
  JournalPart,
  Listed,
  LocalCode,
  ReadOptions,
  RemoveOptions,
  SourceFile,
  Unfinished,
  UploadEntry,
  VerifyOptions,
  HttpClient,
} from '../../src/bulk/node/index.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import { createBucket, createTransfer, s3 } from './s3-store.js';

const MiB = 1024 * 1024;

/** A journal of an application. It uses only types that the package exports. */
class MapJournal implements Journal {
  readonly resumable = true;
  readonly unfinished = new Map<string, Unfinished>();
  readonly #done = new Set<string>();
  readonly #seen = new Set<string>();
  isCompleted = (fingerprint: string): boolean => this.#done.has(fingerprint);
  complete = (fingerprint: string): void => void this.#done.add(fingerprint);
  seen = (key: string): boolean => this.#seen.has(key);
  begin(file: Omit<Unfinished, 'parts' | 'uploadId'>): void {
    this.#seen.add(file.key);
    this.unfinished.set(file.key, { ...file, parts: new Map() });
  }
  setUploadId(key: string, uploadId: string): void {
    this.unfinished.get(key)!.uploadId = uploadId;
  }
  addPart(key: string, part: JournalPart): void {
    this.unfinished.get(key)!.parts.set(part.number, part);
  }
  end(key: string): void {
    this.#seen.add(key);
    this.unfinished.delete(key);
  }
  close(): void {
    this.#seen.clear();
  }
}

/** Compiles only if the package exports every type that a method takes or returns. */
export interface ExportedTypes {
  source: SortedSource extends Parameters<BulkTransfer['syncUp']>[0] ? SortedSource : never;
  options: [ReadOptions, RemoveOptions, VerifyOptions, RetryOptions, StoreOptions];
  results: [Listed, BucketEntry, UploadEntry];
  literals: [Integrity, LocalCode, Required<SyncOptions>['compare'] extends Comparison ? Comparison : never];
  wire: HttpClient;
}

describe('a custom journal', () => {
  it('lets a transfer resume an earlier one', async () => {
    await using proxy = await startFaultProxy(s3.endpoint);
    const bulk = createTransfer({ endpoint: proxy.url });
    const to = { bucket: await createBucket(), prefix: '' };
    const bytes = randomBytes(23 * MiB);
    const file: SourceFile = {
      path: 'f',
      size: bytes.length,
      mtimeNs: 1n,
      open: () => ({
        size: bytes.length,
        mtimeNs: 1n,
        read: (offset, into) => bytes.copy(into, 0, offset),
        changed: () => false,
        close: () => {},
      }),
    };
    const journal = new MapJournal();
    const options = { journal, partSize: 5 * MiB, concurrency: 1, retry: { tries: 1 } };
    const refused = proxy.on({ method: 'PUT', path: /partNumber=3/, fault: { respond: { status: 500 } } });
    expect(await bulk.upload([file], to, options)).toMatchObject({ failed: 1 });
    refused.remove();
    const resumed = await bulk.upload([file], to, options);
    expect(resumed).toMatchObject({ files: 1, failed: 0 });
    expect(resumed.resumed).toBeGreaterThan(0);
    expect(journal.unfinished.size).toBe(0);
  });
});
