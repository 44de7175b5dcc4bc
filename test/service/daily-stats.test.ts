import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StatsRecord } from '../../src/protocol/types.js';
import { insertFiles } from './insert-files.js';
import { TestService } from './support.js';

interface Day {
  day: string;
  files: number | null;
  bytes: number | null;
  requests: number;
  errors: number;
  bytes_in: number;
  bytes_out: number;
  uploads: number;
  failed_uploads: number;
}

interface Breakdown {
  computed_at: string | null;
  computing: boolean;
  folders: { prefix: string; files: number; bytes: number }[];
  types: { type: string; files: number; bytes: number }[];
}

const DAY_MS = 86_400_000;
/** Longer than sums are collected. */
const WRITTEN = { timeout: 30_000 };

let service: TestService;
beforeAll(async () => void (service = await TestService.start({ s3Port: 0 })));
afterAll(() => service.stop());

const readDays = async (days = 3, credential = service.key) => {
  // The sums of a second replica are written after some seconds.
  await service.service.core.blobs.dailySums.flush();
  const { status, response } = await service.call<{ days: Day[] }>('GET', `/v1/stats/daily?days=${days}`, { credential });
  expect(status).toBe(200);
  return response.days;
};
const today = async () => (await readDays(1))[0]!;

describe('the daily statistics', () => {
  it('count requests, errors, traffic and uploads of all interfaces', async () => {
    await expect.poll(async () => (await today()).requests, WRITTEN).toBeGreaterThan(0);
    const before = await today();
    const size = 100_000;
    const file = (await service.put('a.bin?visibility=public', new Uint8Array(size))).response;
    expect((await service.put('a.bin', 'again')).error.code).toBe('FILE_EXISTS');
    for (const url of [file.url!, `${service.s3Url!}/main/a.bin`])
      expect((await (await fetch(url)).arrayBuffer()).byteLength).toBe(size);
    expect((await service.call('GET', '/v1/files/unknown')).status).toBe(404);
    await expect
      .poll(async () => {
        const now = await today();
        return {
          uploads: now.uploads - before.uploads,
          failed: now.failed_uploads - before.failed_uploads,
          errors: now.errors - before.errors,
        };
      }, WRITTEN)
      .toEqual({ uploads: 1, failed: 1, errors: 2 });
    const after = await today();
    expect(after.requests - before.requests).toBeGreaterThanOrEqual(4);
    // The public file is read without a credential, over REST and over S3.
    await expect.poll(async () => (await today()).bytes_out - before.bytes_out, WRITTEN).toBeGreaterThan(2 * size);
    expect((await today()).bytes_in - before.bytes_in).toBeGreaterThan(size);
    const { files, bytes } = (await service.call<StatsRecord>('GET', '/v1/stats')).response;
    expect(after).toMatchObject({ files, bytes, day: new Date(service.service.core.now()).toISOString().slice(0, 10) });
  });

  it('count the archive of a shared folder, which is read without a credential', async () => {
    const size = 200_000;
    const { id } = (await service.put('shared/a.bin', new Uint8Array(size))).response;
    const { url } = (await service.call<{ url: string }>('POST', '/v1/shares', { body: { prefix: 'shared' } })).response;
    const before = await today();
    expect((await (await fetch(`${url}?zip=1`)).arrayBuffer()).byteLength).toBeGreaterThan(size);
    await expect.poll(async () => (await today()).bytes_out - before.bytes_out, WRITTEN).toBeGreaterThan(size);
    expect((await service.call('DELETE', `/v1/files/${id}`)).status).toBe(200);
  });

  it('belong to one account', async () => {
    const { accounts, keys } = service.service.core;
    await accounts.ensure('other');
    const { secret } = await keys.create('other', { name: 'other', scopes: ['blob:read'] });
    const [first, second, third] = await readDays(3, secret);
    expect([first, second, third].map((day) => day!.uploads)).toEqual([0, 0, 0]);
    expect(first).toMatchObject({ files: null, bytes: null, requests: 0 });
    expect(third).toMatchObject({ files: 0, bytes: 0 });
  });

  it('keep the storage of days without requests, and the sums of earlier days', async () => {
    const before = await today();
    await service.advanceClock(2 * DAY_MS);
    try {
      const days = await readDays(4);
      expect(days.map(({ files }) => files)).toEqual([null, before.files, before.files, before.files]);
      expect(days[1]!.uploads).toBe(before.uploads);
      expect(days[2]).toMatchObject({ requests: 0, bytes_out: 0 });
    } finally {
      await service.advanceClock(0);
    }
  });

  it.each([0, 401])('are refused for %i days', async (days) => {
    expect((await service.call('GET', `/v1/stats/daily?days=${days}`)).error.path).toBe('days');
  });
});

describe('the largest folders', () => {
  it('are computed once for all requests, with the largest content types', async () => {
    const { core } = service.service;
    for (let folder = 1; folder <= 45; folder++) {
      const prefix = `folder-${String(folder).padStart(2, '0')}/`;
      await insertFiles(core, { prefix, count: folder, type: folder % 2 ? 'image/png' : 'text/plain; charset=utf-8' });
    }
    const read = async () => (await service.call<Breakdown>('GET', '/v1/stats/folders')).response;
    await expect.poll(async () => (await read()).computed_at, WRITTEN).not.toBeNull();
    const { folders, types, computing, computed_at } = await read();
    expect(computing).toBe(false);
    expect(folders).toHaveLength(20);
    // The only file outside of folders is larger than all others together.
    expect(folders[0]).toEqual({ prefix: '', files: 1, bytes: 100_000 });
    expect(folders[1]).toEqual({ prefix: 'folder-45/', files: 45, bytes: (45 * 46) / 2 });
    expect(folders.at(-1)!.prefix).toBe('folder-27/');
    expect(types.map(({ type, files }) => [type, files])).toEqual([
      [expect.any(String), 1],
      ['image/png', 23 * 23],
      ['text/plain', 22 * 23],
    ]);
    await service.put('folder-50/new', new Uint8Array(10));
    expect((await read()).computed_at).toBe(computed_at);
  });
});
