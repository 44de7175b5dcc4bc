import { GetObjectCommand } from '@aws-sdk/client-s3';
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { StatsRecord } from '../../src/protocol/types.js';
import { TestEndpoint } from '../s3-endpoint/start-endpoint.js';
import { TestService } from './support.js';

/** Mounts a small file system that tests can fill. @returns false unless the tests run as root. */
function mount(target: string, options: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', target], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
// Each test has its own disk, because one that fails may leave it full.
let folder: string;
let mounted: boolean;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-full-'));
  mounted = mount(folder, 'size=12m');
});
afterEach(() => {
  if (mounted) execFileSync('umount', ['-l', folder]);
  rmSync(folder, { recursive: true, force: true });
});

it.for([
  ['large', 1_000_000],
  ['small', 20_000],
] as const)(
  'a service on a disk that fills with %s files returns STORAGE_FULL, loses nothing and recovers',
  async ([name, size], { skip }) => {
    skip(!mounted, 'only root may mount a file system');
    const service = await TestService.start({ dataDir: join(folder, name) });
    try {
      const stored = new Map<string, string>();
      let refusals = 0;
      for (let i = 0; i < 2000 && refusals < 5; i++) {
        const bytes = randomBytes(size);
        const httpResponse = await service.put(`${name}/${i}.bin`, bytes);
        if (httpResponse.status === 201) stored.set(httpResponse.response.id, createHash('sha256').update(bytes).digest('hex'));
        else {
          expect([httpResponse.status, httpResponse.error.code]).toEqual([507, 'STORAGE_FULL']);
          refusals += 1;
        }
      }
      expect(refusals).toBe(5);
      expect(stored.size).toBeGreaterThan(3);
      for (const [id, sha256] of stored)
        expect(
          createHash('sha256')
            .update(await service.bytesOf(id))
            .digest('hex'),
        ).toBe(sha256);
      expect(await service.paths()).toHaveLength(Math.min(stored.size, 1000));

      // A deletion must work on a full disk, and its space must be usable again.
      const ids = [...stored.keys()].slice(0, Math.ceil(stored.size / 2));
      const gone = await service.call<{ results: { deleted: boolean }[] }>('POST', '/v1/files/delete', { body: { ids } });
      expect([gone.status, gone.response.results.every((one) => one.deleted)]).toEqual([200, true]);
      await service.service.core.blobs.sweep({ aloneSince: Date.now() });
      expect((await service.put(`${name}/after.bin`, randomBytes(size))).status).toBe(201);
      expect((await service.call<StatsRecord>('GET', '/v1/stats')).response).toMatchObject({
        files: stored.size - ids.length + 1,
        uploads_in_progress: 0,
      });
      const findings: unknown[] = [];
      await service.service.core.blobs.scrub((finding) => findings.push(finding));
      expect(findings).toEqual([]);
    } finally {
      await service.stop();
    }
  },
);

it('the S3 endpoint on a full disk returns InsufficientStorage and still serves its objects', async ({ skip }) => {
  skip(!mounted, 'only root may mount a file system');
  const endpoint = await TestEndpoint.start({ dataDir: join(folder, 's3') });
  writeFileSync(join(folder, 'ballast'), randomBytes(1_500_000));
  try {
    const body = randomBytes(1_000_000);
    const statuses: string[] = [];
    for (let at = 0; at < 40 && statuses.at(-1) !== '507 InsufficientStorage'; at++) {
      const { status, code } = await endpoint.send('PUT', `/main/${at}`, { body });
      statuses.push(`${status} ${code ?? ''}`.trim());
    }
    expect(statuses.slice(0, -1)).toEqual(statuses.slice(0, -1).map(() => '200'));
    expect(statuses.at(-1)).toBe('507 InsufficientStorage');
    // The sweep releases what could not be released on the full disk.
    rmSync(join(folder, 'ballast'));
    await endpoint.service.core.blobs.sweep();
    expect(await endpoint.stored()).toMatchObject({ reservations: 0 });
    expect((await endpoint.send('PUT', '/main/after', { body: body.subarray(0, 500_000) })).status).toBe(200);
    const received = await endpoint.client().send(new GetObjectCommand({ Bucket: 'main', Key: '0' }));
    expect(body.equals(Buffer.from(await received.Body!.transformToByteArray()))).toBe(true);
  } finally {
    await endpoint.stop();
  }
});

/** Fills the disk to its last byte. */
function fillDisk(path: string): void {
  const fd = openSync(path, 'w');
  try {
    for (;;) writeSync(fd, randomBytes(4096));
  } catch (cause) {
    expect(cause).toMatchObject({ code: 'ENOSPC' });
  } finally {
    closeSync(fd);
  }
}

it('a disk without one free byte lets files be deleted', async ({ skip }) => {
  skip(!mounted, 'only root may mount a file system');
  const dataDir = join(folder, 'last-byte');
  const largeFile = join(folder, 'large-file');
  const service = await TestService.start({ dataDir });
  try {
    const ids: string[] = [];
    for (let i = 0; i < 6; i++) ids.push((await service.put(`${i}.bin`, randomBytes(300_000))).response.id);
    fillDisk(largeFile);
    const remove = async (id: string) => (await service.call('DELETE', `/v1/files/${id}`)).status;
    // SQLite's log was never copied into the database, and neither file can grow. The first request may fail for this reason.
    await expect.poll(() => remove(ids[0]!)).toBe(200);
    // The service is ready, because no other replica has these files.
    expect((await service.call('GET', '/readyz')).status).toBe(200);
    expect((await service.put('large.bin', randomBytes(1_000_000))).status).toBe(507);
    for (const id of ids.slice(1, 3)) expect(await remove(id)).toBe(200);
    const body = { type: 'delete', ids: ids.slice(3, 5) };
    expect((await service.call('POST', '/v1/jobs', { body })).status).toBe(202);
    await expect.poll(() => service.paths()).toEqual(['5.bin']);
    expect((await service.bytesOf(ids[5]!)).byteLength).toBe(300_000);
  } finally {
    await service.stop();
    rmSync(largeFile, { force: true });
  }
});

it('a disk without free inodes counts as full, while files can be read and the service is ready', async ({ skip }) => {
  const own = mkdtempSync(join(tmpdir(), 'svc-inodes-'));
  skip(!mount(own, 'size=64m,nr_inodes=200'), 'only root may mount a file system');
  const service = await TestService.start({ dataDir: join(own, 'data') });
  try {
    const { response } = await service.put('before.bin', randomBytes(300_000));
    expect(() => {
      for (let i = 0; ; i++) writeFileSync(join(own, `${i}`), '');
    }).toThrow('ENOSPC');
    expect((await service.call('GET', '/readyz')).status).toBe(200);
    const refused = await service.put('after.bin', randomBytes(300_000));
    expect([refused.status, refused.error.code]).toEqual([507, 'STORAGE_FULL']);
    expect((await service.bytesOf(response.id)).byteLength).toBe(300_000);
  } finally {
    await service.stop();
    execFileSync('umount', ['-l', own]);
    rmSync(own, { recursive: true, force: true });
  }
});
