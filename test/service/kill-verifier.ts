import { ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { FileRecord, StatsRecord, UploadTokenRecord } from '../../src/protocol/types.js';
import type { Attempt, Load, Target } from './kill-load.js';

/** Finds the files that an attempt stored. */
const filesOf = (files: FileRecord[], { path }: Attempt) => files.filter((file) => file.path.startsWith(path));

/** Repeats an upload, as clients do, until the sweep after the start has released the attempt of the killed process. */
async function retryWhileRunning<T>(upload: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await upload();
    } catch (cause) {
      if (tries === 100 || !String(cause).includes('OPERATION_IN_PROGRESS')) throw cause;
      // The interval between two attempts.
      await sleep(100);
    }
  }
}

/** Runs a job for each item, four at a time, because a hundred kills leave thousands of files. */
async function forEachOfFew<T>(items: readonly T[], job: (item: T) => Promise<void>): Promise<void> {
  const remaining = items.values();
  const worker = async () => {
    for (const item of remaining) await job(item);
  };
  await Promise.all(Array.from({ length: 4 }, worker));
}

/** Verifies the files, uses and sums of a service after it was killed under load. */
export class KillVerifier {
  readonly #target: Target;
  readonly #checked = new Set<string>();
  /** Uploads of each kind with and without a response. */
  readonly counts: Record<string, { acknowledged: number; interrupted: number }> = {};

  constructor(target: Target) {
    this.#target = target;
  }

  async call<T>(path: string, method = 'GET', body?: unknown): Promise<T> {
    const { url, key } = this.#target;
    const headers = { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) };
    const httpResponse = await fetch(url + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
    const json = (await httpResponse.json()) as { response: T };
    if (!httpResponse.ok) throw new Error(`${method} ${path}: ${JSON.stringify(json)}`);
    return json.response;
  }

  /** Verifies that every stored file is complete, and that every acknowledged upload has a file. */
  async expectCompleteFiles(attempts: readonly Attempt[]): Promise<void> {
    for (const { kind, isAcknowledged } of attempts)
      (this.counts[kind] ??= { acknowledged: 0, interrupted: 0 })[isAcknowledged ? 'acknowledged' : 'interrupted'] += 1;
    const files = await this.#allFiles();
    await forEachOfFew(
      files.filter(({ id }) => !this.#checked.has(id)),
      async (file) => {
        expect(await this.#hashOf(file.id), file.path).toBe(file.sha256);
        this.#checked.add(file.id);
      },
    );
    for (const attempt of attempts) {
      const stored = filesOf(files, attempt);
      expect(stored.length, `${attempt.kind} ${attempt.path}`).toBeLessThanOrEqual(1);
      if (attempt.isAcknowledged)
        expect(stored[0], `${attempt.kind} ${attempt.path} was acknowledged`).toMatchObject({ size: attempt.size });
      if (stored[0]) expect(stored[0].sha256).toBe(attempt.sha256);
    }
  }

  /** Repeats every upload with its key. Verifies that each has one file, and that uses and sums match the files. */
  async expectOneFileEach(attempts: readonly Attempt[], tokens: Load['tokens']): Promise<void> {
    await forEachOfFew(attempts, async (attempt) => {
      if (!attempt.repeat) return;
      const file = await retryWhileRunning(attempt.repeat);
      expect([file.sha256, file.size], attempt.kind).toEqual([attempt.sha256, attempt.size]);
    });
    const files = await this.#allFiles();
    for (const attempt of attempts)
      if (attempt.repeat) expect(filesOf(files, attempt), `${attempt.kind} ${attempt.path}`).toHaveLength(1);
    await forEachOfFew([...tokens.values()], async ({ id, prefix }) => {
      const { uses } = await this.call<UploadTokenRecord>(`/v1/upload-tokens/${id}`);
      expect(uses, prefix).toBe(files.filter((file) => file.path.startsWith(`${prefix}/`)).length);
    });
    const bytes = files.reduce((sum, file) => sum + file.size, 0);
    const inProgress = await this.#countOpenUploads();
    const stats = await this.call<StatsRecord>('/v1/stats');
    expect([stats.files, stats.bytes, stats.uploads_in_progress]).toEqual([files.length, bytes, inProgress]);
  }

  /** Verifies that the kills interrupted some uploads, and that others of every kind were sent. */
  expectInterruptions(): void {
    const kinds = Object.values(this.counts);
    expect(Object.keys(this.counts).toSorted()).toEqual(['batch', 'form', 'put', 's3', 'tus']);
    expect(kinds.reduce((sum, { acknowledged }) => sum + acknowledged, 0)).toBeGreaterThan(0);
    expect(kinds.reduce((sum, { interrupted }) => sum + interrupted, 0)).toBeGreaterThan(0);
  }

  /** Counts unfinished S3 uploads, which stay until their client continues or aborts them. */
  async #countOpenUploads(): Promise<number> {
    const { url, accessKeyId, secretAccessKey } = this.#target.s3;
    const credentials = { accessKeyId, secretAccessKey };
    const client = new S3Client({ endpoint: url, region: 'us-east-1', forcePathStyle: true, credentials });
    const { Uploads = [], IsTruncated } = await client.send(new ListMultipartUploadsCommand({ Bucket: 'main' }));
    client.destroy();
    expect(IsTruncated).toBe(false);
    return Uploads.length;
  }

  async #allFiles(): Promise<FileRecord[]> {
    const files: FileRecord[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: { files: FileRecord[]; cursor: string | null } = await this.call(`/v1/files?limit=1000&cursor=${cursor}`);
      files.push(...page.files);
      cursor = page.cursor;
    }
    return files;
  }

  async #hashOf(id: string): Promise<string> {
    const { url, key } = this.#target;
    const httpResponse = await fetch(`${url}/v1/files/${id}/content`, { headers: { authorization: `Bearer ${key}` } });
    return createHash('sha256')
      .update(Buffer.from(await httpResponse.arrayBuffer()))
      .digest('hex');
  }
}
