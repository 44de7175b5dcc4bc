// Own process: mocks modules.
import { advice } from '../../src/bulk/error-advice.js';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createBulkTransfer, DiskJournal, FolderTarget } from '../../src/bulk/node/index.js';
import type { BulkTransfer, DownloadOptions } from '../../src/bulk/node/index.js';
import type { S3Error } from '../../src/bulk/errors.js';
import { DEFAULT_MODE } from '../../src/bulk/node/files/write-file.js';
import type { TargetFile } from '../../src/bulk/types.js';

const MiB = 1024 * 1024;
const folder = mkdtempSync(join(tmpdir(), 'bulk-writer-'));
const full = join(folder, 'full');
const bytes = randomBytes(24 * MiB + 7);

/** A store that returns the same object for every key. */
const server = createServer((request, response) => {
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
  const body = range === null ? bytes : bytes.subarray(Number(range[1]), Number(range[2]) + 1);
  const facts = { etag: '"v-1"', 'last-modified': new Date(1e12).toUTCString(), 'content-length': String(body.length) };
  const part = range === null ? {} : { 'content-range': `bytes ${range[1]}-${range[2]}/${bytes.length}` };
  response.writeHead(range === null ? 200 : 206, { ...facts, ...part });
  response.end(request.method === 'HEAD' ? undefined : body);
});
let bulk: BulkTransfer;
/** Whether the test could mount a small file system, which only root may do. */
let mounted = false;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  bulk = createBulkTransfer({ endpoint, credentials: { accessKeyId: 'a', secretAccessKey: 'b' } });
  // The thread starts after some megabytes.
  for (const path of ['first', 'second']) await download(new WatchedTarget(folder), path);
  try {
    execFileSync('mkdir', [full]);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', full], { stdio: 'ignore' });
    mounted = true;
  } catch {
    // Tests that need it are skipped.
  }
});
afterAll(() => {
  bulk.close();
  server.close();
  if (mounted) execFileSync('umount', ['-l', full]);
  rmSync(folder, { recursive: true, force: true });
});

/** Counts running writes, and records how many were running when a file was committed or discarded. */
class WatchedTarget extends FolderTarget {
  writing = 0;
  maxWriting = 0;
  ends: string[] = [];

  override async open(path: string, resume: boolean): Promise<TargetFile> {
    const file = await super.open(path, resume);
    const end = (what: string): void => void this.ends.push(`${what} ${this.writing}`);
    return {
      write: async (position, chunk) => {
        this.maxWriting = Math.max(this.maxWriting, ++this.writing);
        await Promise.resolve(file.write(position, chunk)).finally(() => this.writing--);
      },
      commit: (facts) => (end('commit'), file.commit(facts)),
      discard: (keep) => (end('discard'), file.discard(keep)),
    };
  }
}

const download = (target: FolderTarget, path: string, more: DownloadOptions = {}) =>
  bulk.downloadExact({ bucket: 'b', prefix: path }, target, path, { partSize: 5 * MiB, ...more });

describe('the file writer thread', () => {
  it('writes chunks in the order of the calls', async () => {
    const target = new FolderTarget(folder);
    const file = await target.open('order', false);
    const [first, second] = [target.memory(300_000), target.memory(300_000)];
    first.fill(1);
    second.fill(2);
    await Promise.all([file.write(0, first), file.write(100_000, second), file.write(200_000, first.subarray(0, 5))]);
    await file.commit({ size: 400_000 });
    const expected = Buffer.alloc(400_000, 1).fill(2, 100_000).fill(1, 200_000, 200_005);
    expect(readFileSync(join(folder, 'order')).equals(expected)).toBe(true);
  });

  it('has written every chunk before the file gets its name', async () => {
    const target = new WatchedTarget(folder);
    expect(await download(target, 'whole')).toMatchObject({ files: 1, failed: 0 });
    expect(target.ends).toEqual(['commit 0']);
    expect(target.maxWriting).toBeGreaterThan(1);
    expect(readFileSync(join(folder, 'whole')).equals(bytes)).toBe(true);
  });

  it('finishes its writes before an aborted file is discarded', async () => {
    const stop = new AbortController();
    const target = new WatchedTarget(join(folder, 'stopped'));
    const running = download(target, 'cut', { signal: stop.signal });
    while (target.maxWriting < 2) await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    await expect(running).rejects.toMatchObject({ code: 'Aborted' });
    expect(target.ends).toEqual(['discard 0']);
  });

  it.for([
    ['', WatchedTarget],
    [' (FolderTarget)', FolderTarget],
  ] as const)('fails only the file whose disk is full%s', async ([, Kind], { skip }) => {
    skip(!mounted, 'only root may mount a file system');
    const journal = new DiskJournal(join(folder, 'journal'), { keepSettled: false });
    const [failed, stored] = await Promise.all([
      download(new Kind(full), 'much', { journal }),
      download(new Kind(folder), 'beside'),
    ]);
    expect(failed).toMatchObject({ files: 0, failures: [{ code: 'TargetFull', name: 'much' }] });
    expect(failed.failures[0]!.message).toContain('ENOSPC');
    expect(failed.failures[0]!.advice).toMatch(/the same command again\.$/);
    expect(readdirSync(full)).toEqual([]);
    expect(stored).toMatchObject({ files: 1, failed: 0 });
    expect(readFileSync(join(folder, 'beside')).equals(bytes)).toBe(true);
  });

  it('reports the same error codes as writing without the thread', async () => {
    mkdirSync(join(folder, 'taken', 'dir'), { recursive: true });
    const target = new FolderTarget(join(folder, 'taken'));
    const codes = new Set<string>();
    for (let i = 0; i < 110; i++) {
      const making = async () => target.make('dir', target.memory(4), { size: 4 });
      await making().catch((error: S3Error) => codes.add(error.code));
    }
    expect([...codes]).toEqual(['NameTaken']);
  });

  it.each([
    ['removed', undefined],
    ['replaced', 'another'],
  ])('fails a file whose temporary file was %s, and starts it again from the beginning', async (how, bytesOfAnother) => {
    const target = new FolderTarget(join(folder, how));
    const file = await target.open('f', false);
    const temporary = join(folder, how, readdirSync(join(folder, how))[0]!);
    rmSync(temporary);
    if (bytesOfAnother !== undefined) writeFileSync(temporary, bytesOfAnother);
    const error = await Promise.resolve(file.commit({ size: 0 })).catch((thrown: S3Error) => thrown);
    expect(error).toMatchObject({ code: 'TemporaryGone', message: expect.stringContaining('was removed, moved or replaced') });
    expect(advice(error as S3Error)).toMatch(/^Run the same command again, when no other run writes/);
    await file.discard(false);
    expect(readdirSync(join(folder, how))).toHaveLength(bytesOfAnother === undefined ? 0 : 1);
    expect(await download(target, 'f')).toMatchObject({ files: 1, failed: 0 });
  });

  it('closes a file whose folder has been moved', async ({ skip }) => {
    skip(!existsSync('/proc/self/fd'), 'only Linux lists open files');
    const [root, moved] = [join(folder, 'here'), join(folder, 'moved')];
    const file = await new FolderTarget(root).open('astray', false);
    renameSync(root, moved);
    symlinkSync('here', root);
    await file.discard(false);
    const open = readdirSync('/proc/self/fd').map((fd) =>
      existsSync(`/proc/self/fd/${fd}`) ? readlinkSync(`/proc/self/fd/${fd}`) : '',
    );
    expect(open.filter((path) => path.startsWith(moved))).toEqual([]);
  });

  // 2 writes: no thread starts. 40: the process ends while the thread starts. 200 with a pause: the thread has written some.
  it.each([2, 40, 200])('does not keep the process alive after %i writes', (writes) => {
    const code = `
      import { FolderTarget } from './src/bulk/node/files/folder-target.ts';
      const target = new FolderTarget(${JSON.stringify(folder)});
      const file = await target.open('alone', false);
      const bytes = target.memory(300_000);
      for (let i = 0; i < ${writes}; i++) {
        await file.write(i * 300_000, bytes);
        if (i === 100) await new Promise((resolve) => setTimeout(resolve, 1000));
      }
      await file.commit({ size: ${writes} * 300_000 });`;
    execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code], { timeout: 60_000 });
    expect(readFileSync(join(folder, 'alone'))).toHaveLength(writes * 300_000);
  });
});

describe('an open target file', () => {
  it('can be read without blocking the event loop', async () => {
    const file = await new FolderTarget(folder).open('again', false);
    await file.write(0, bytes.subarray(0, MiB));
    const into = Buffer.alloc(MiB);
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    for (let i = 0; i < 200; i++) expect(await file.read!(0, into)).toBe(MiB);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
    expect(into.equals(bytes.subarray(0, MiB))).toBe(true);
    await file.discard(false);
  });
});

describe('a file on a file system with fixed modes', () => {
  afterEach(() => {
    vi.doUnmock('node:fs');
    vi.resetModules();
  });

  it('is written without changing its mode', async () => {
    const { default: fs, ...names } = await vi.importActual<typeof import('node:fs') & { default: typeof import('node:fs') }>(
      'node:fs',
    );
    const refuse = (): never => {
      throw Object.assign(new Error('EPERM: operation not permitted, fchmod'), { code: 'EPERM' });
    };
    const openWithFixedMode = (path: string, flags: string) => fs.openSync(path, flags);
    vi.resetModules();
    vi.doMock('node:fs', () => ({ ...names, openSync: openWithFixedMode, fchmodSync: refuse }));
    const { open, finish, make } = await import('../../src/bulk/node/files/write-file.js');
    const [temporary, full] = [join(folder, '.svc-x.part'), join(folder, 'kept')];
    const facts = { size: 0, mtimeNs: 1_700_000_000_000_000_000n, mode: DEFAULT_MODE };
    expect(finish({ ...open(temporary, false), temporary, full, facts, truncate: false })).toBe(facts.mtimeNs);
    expect(make({ temporary, full, bytes: new Uint8Array(3), facts })).toBe(facts.mtimeNs);
    expect(readFileSync(full)).toHaveLength(3);
  });
});
