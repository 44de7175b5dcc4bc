import { ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { FileRecord, StatsRecord, UploadTokenRecord } from '../../src/protocol/types.js';
import type { Attempt, Load, Target } from './kill-load.js';

const filesAt = (files: FileRecord[], { place }: Attempt) => files.filter((file) => file.path.startsWith(place));

/** What a killed process had begun is "still running" until the sweep that follows a start has undone it: as clients do, ask again. */
async function insist<T>(again: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await again();
    } catch (cause) {
      if (tries === 100 || !String(cause).includes('OPERATION_IN_PROGRESS')) throw cause;
      await sleep(100);
    }
  }
}

/** A few at a time: a hundred kills leave thousands to look at. */
async function several<T>(items: readonly T[], job: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await job(item);
  };
  await Promise.all(Array.from({ length: 4 }, worker));
}

/** Looks at what a service holds after it was killed under load. */
export class Judge {
  readonly #target: Target;
  readonly #checked = new Set<string>();
  /** How many uploads of each kind were answered, and how many were cut off. */
  readonly tally: Record<string, { answered: number; cut: number }> = {};

  constructor(target: Target) {
    this.#target = target;
  }

  async call<T>(path: string, method = 'GET', body?: unknown): Promise<T> {
    const { url, key } = this.#target;
    const headers = { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) };
    const answer = await fetch(url + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
    const json = (await answer.json()) as { response: T };
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(json)}`);
    return json.response;
  }

  /** Whatever exists is whole, answered or not; what was answered exists. */
  async expectWhole(attempts: readonly Attempt[]): Promise<void> {
    for (const { kind, answered } of attempts) (this.tally[kind] ??= { answered: 0, cut: 0 })[answered ? 'answered' : 'cut'] += 1;
    const files = await this.#allFiles();
    await several(
      files.filter(({ id }) => !this.#checked.has(id)),
      async (file) => {
        expect(await this.#hashOf(file.id), file.path).toBe(file.sha256);
        this.#checked.add(file.id);
      },
    );
    for (const attempt of attempts) {
      const made = filesAt(files, attempt);
      expect(made.length, `${attempt.kind} ${attempt.place}`).toBeLessThanOrEqual(1);
      if (attempt.answered)
        expect(made[0], `${attempt.kind} ${attempt.place} was answered`).toMatchObject({ size: attempt.size });
      if (made[0]) expect(made[0].sha256).toBe(attempt.sha256);
    }
  }

  /** Asking again under the same key ends with one file each; uses and sums add up. */
  async expectOnce(attempts: readonly Attempt[], tokens: Load['tokens']): Promise<void> {
    await several(attempts, async (attempt) => {
      if (!attempt.again) return;
      const file = await insist(attempt.again);
      expect([file.sha256, file.size], attempt.kind).toEqual([attempt.sha256, attempt.size]);
    });
    const files = await this.#allFiles();
    for (const attempt of attempts)
      if (attempt.again) expect(filesAt(files, attempt), `${attempt.kind} ${attempt.place}`).toHaveLength(1);
    await several([...tokens.values()], async ({ id, prefix }) => {
      const { uses } = await this.call<UploadTokenRecord>(`/v1/upload-tokens/${id}`);
      expect(uses, prefix).toBe(files.filter((file) => file.path.startsWith(`${prefix}/`)).length);
    });
    const bytes = files.reduce((sum, file) => sum + file.size, 0);
    const inProgress = await this.#openMultiparts();
    const stats = await this.call<StatsRecord>('/v1/stats');
    expect([stats.files, stats.bytes, stats.uploads_in_progress]).toEqual([files.length, bytes, inProgress]);
  }

  /** The service was struck in the middle of work of every kind. */
  expectStruck(): void {
    const sums = Object.values(this.tally);
    expect(Object.keys(this.tally).toSorted()).toEqual(['batch', 'form', 'put', 's3', 'tus']);
    expect(sums.reduce((sum, { answered }) => sum + answered, 0)).toBeGreaterThan(0);
    expect(sums.reduce((sum, { cut }) => sum + cut, 0)).toBeGreaterThan(0);
  }

  /** What was cut off over S3 stays open until its client goes on with it or gives it up. */
  async #openMultiparts(): Promise<number> {
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
    const answer = await fetch(`${url}/v1/files/${id}/content`, { headers: { authorization: `Bearer ${key}` } });
    return createHash('sha256')
      .update(Buffer.from(await answer.arrayBuffer()))
      .digest('hex');
  }
}
