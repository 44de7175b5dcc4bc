import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBulkTransfer, DiskJournal, FolderTarget } from '../../src/bulk/node/index.js';
import type { BulkTransfer } from '../../src/bulk/node/index.js';
import { DEFAULT_MODE } from '../../src/bulk/node/files/write-file.js';
import type { FileFacts, Target } from '../../src/bulk/types.js';

const folder = mkdtempSync(join(tmpdir(), 'bulk-small-'));
const full = join(folder, 'full');
/** More files than are written before the worker thread starts. */
const MANY = 300;
const SECONDS = 1_600_000_000;
const nameOf = (number: number): string => `d${number % 3}/f${number}`;
const bytesOf = (number: number): Buffer => Buffer.alloc(number * 50, `${number} `);

interface Stored {
  bytes: Buffer;
  headers?: Record<string, string>;
  /** The size in the listing, if it is outdated. */
  listedSize?: number;
}

/** The objects of a simulated store, by bucket and key. */
const buckets = new Map<string, Map<string, Stored>>();
let requestCount = 0;
const server = createServer((request, response) => {
  requestCount++;
  const { pathname } = new URL(request.url!, 'http://store');
  const [, bucket, ...key] = decodeURIComponent(pathname).split('/');
  const objects = buckets.get(bucket!)!;
  const object = objects.get(key.join('/'));
  if (object !== undefined) {
    const etag = `"${createHash('md5').update(object.bytes).digest('hex')}"`;
    response.writeHead(200, { etag, 'last-modified': new Date(1e12).toUTCString(), ...object.headers });
    return void response.end(object.bytes);
  }
  const contents = [...objects].map(
    ([name, { bytes, listedSize }]) =>
      `<Contents><Key>${name}</Key><Size>${listedSize ?? bytes.length}</Size><ETag>"x"</ETag></Contents>`,
  );
  return void response.end(`<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join('')}</ListBucketResult>`);
});
let bulk: BulkTransfer;
/** Whether the test could mount a small file system, which only root may do. */
let mounted = false;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  bulk = createBulkTransfer({ endpoint, credentials: { accessKeyId: 'a', secretAccessKey: 'b' } });
  const many = new Map<string, Stored>();
  for (let i = 0; i < MANY; i++) {
    const headers = { 'x-amz-meta-mtime': `${SECONDS + i}.500000000`, 'x-amz-meta-mode': i % 2 === 0 ? '0100600' : '0107755' };
    many.set(nameOf(i), { bytes: bytesOf(i), headers });
  }
  buckets.set('many', many);
  try {
    execFileSync('mkdir', [full]);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', full], { stdio: 'ignore' });
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

const listFiles = (root: string): string[] => readdirSync(root, { recursive: true, encoding: 'utf8' });
const isComplete = (root: string, number: number): boolean => readFileSync(join(root, nameOf(number))).equals(bytesOf(number));

describe('a download of small files', () => {
  it('restores bytes, times and modes before and after the worker thread starts', async () => {
    const root = join(folder, 'whole');
    expect(await bulk.download({ bucket: 'many', prefix: '' }, new FolderTarget(root))).toMatchObject({ files: MANY, failed: 0 });
    expect(listFiles(root)).toHaveLength(MANY + 3);
    for (let i = 0; i < MANY; i++) {
      expect(isComplete(root, i)).toBe(true);
      const { mtimeMs, mode } = statSync(join(root, nameOf(i)));
      expect(mtimeMs).toBe((SECONDS + i) * 1000 + 500);
      expect(mode & 0o7777).toBe(i % 2 === 0 ? 0o600 : DEFAULT_MODE);
    }
  });

  it.each([
    { recorded: '0100777', preserveMode: false, becomes: DEFAULT_MODE },
    { recorded: '0100755', preserveMode: false, becomes: DEFAULT_MODE },
    { recorded: '0106777', preserveMode: true, becomes: 0o777 },
    { recorded: '0100640', preserveMode: false, becomes: 0o640 & DEFAULT_MODE },
    { recorded: '0100000', preserveMode: false, becomes: 0o400 },
  ])('sets mode $becomes from recorded mode $recorded if preserveMode is $preserveMode', async (row) => {
    const root = join(folder, `mode-${row.recorded}-${row.preserveMode}`);
    buckets.set('modes', new Map([['f', { bytes: Buffer.from('x'), headers: { 'x-amz-meta-mode': row.recorded } }]]));
    const { preserveMode } = row;
    await bulk.download({ bucket: 'modes', prefix: '' }, new FolderTarget(root), { preserveMode });
    expect(statSync(join(root, 'f')).mode & 0o7777).toBe(row.becomes);
  });

  it('ends if the disk is full, and the next transfer keeps the stored files', async ({ skip }) => {
    skip(!mounted, 'only root may mount a file system');
    const download = async () => {
      requestCount = 0;
      const journal = new DiskJournal(join(folder, 'journal'), { keepSettled: false });
      return bulk.download({ bucket: 'many', prefix: '' }, new FolderTarget(full), { journal });
    };
    const ended = {
      failed: 1,
      ended: 'TargetFull',
      failures: [{ code: 'TargetFull', message: expect.stringContaining('ENOSPC') }],
    };
    const first = await download();
    expect(first).toMatchObject(ended);
    expect(first.files).toBeGreaterThan(100);
    expect(requestCount).toBeLessThan(MANY);
    expect(first.undone).toBe(MANY - first.files - 1);
    expect(listFiles(full)).toHaveLength(first.files + 3);
    // Without free space, the next transfer ends at once.
    expect(await download()).toMatchObject({ ...ended, files: 0, skipped: first.files });
    execFileSync('mount', ['-o', 'remount,size=4m', full]);
    expect(await download()).toMatchObject({ files: MANY - first.files, skipped: first.files, failed: 0 });
    expect(requestCount).toBeLessThan(MANY - 50);
    for (let i = 0; i < MANY; i++) expect(isComplete(full, i)).toBe(true);
    execFileSync('mount', ['-o', 'remount,ro', full]);
    const readOnly = await bulk.download({ bucket: 'many', prefix: '' }, new FolderTarget(full));
    expect(readOnly).toMatchObject({ failed: 1, failures: [{ code: 'TargetReadOnly' }] });
  });

  it('fails only the files behind a link to an unwritable disk', async ({ skip }) => {
    skip(!mounted, 'only root may mount a file system');
    const root = join(folder, 'linked');
    mkdirSync(root);
    symlinkSync(full, join(root, 'd1'));
    const summary = await bulk.download({ bucket: 'many', prefix: '' }, new FolderTarget(root));
    expect(summary).toMatchObject({ files: (MANY * 2) / 3, failed: MANY / 3 });
    expect(summary.ended).toBeUndefined();
    for (const { code, name } of summary.failures) expect(`${code} ${name}`).toMatch(/^TargetUnwritable d1\//);
  });

  it('with onlyNew keeps a file that another program creates at the same time', async () => {
    const root = join(folder, 'mine');
    const createdMeanwhile = [nameOf(5), nameOf(MANY - 1)];
    const target = new FolderTarget(root);
    target.exists = (path) => {
      const before = existsSync(join(root, path));
      if (createdMeanwhile.includes(path)) {
        mkdirSync(join(root, path, '..'), { recursive: true });
        writeFileSync(join(root, path), 'mine');
      }
      return before;
    };
    const summary = await bulk.download({ bucket: 'many', prefix: '' }, target, { onlyNew: true });
    expect(summary).toMatchObject({ files: MANY - 2, skipped: 2, failed: 0 });
    for (const path of createdMeanwhile) expect(readFileSync(join(root, path), 'utf8')).toBe('mine');
    expect(listFiles(root)).toHaveLength(MANY + 3);
  });

  it('is not mixed with another download to the same file', async () => {
    const root = join(folder, 'two');
    const [first, second] = [new FolderTarget(root), new FolderTarget(root)];
    const slow = await first.open('f', false);
    await slow.write(0, Buffer.alloc(1000, 'slow'));
    await second.make('f', Buffer.from('small and whole'), { size: 15 });
    await slow.write(1000, Buffer.alloc(1000, 'slow'));
    await expect(async () => slow.commit({ size: 2000 })).rejects.toThrow('another run');
    await slow.discard(false);
    expect(readFileSync(join(root, 'f'), 'utf8')).toBe('small and whole');
    expect(listFiles(root)).toEqual(['f']);
  });

  it('accepts objects that grew or shrank after the listing', async () => {
    const objects = new Map([
      ['grown', { bytes: Buffer.alloc(3_000_000, 'grown '), listedSize: 7 }],
      ['shrunk', { bytes: Buffer.from('less'), listedSize: 70_000 }],
    ]);
    buckets.set('moved', objects);
    const root = join(folder, 'moved');
    const summary = await bulk.download({ bucket: 'moved', prefix: '' }, new FolderTarget(root));
    expect(summary).toMatchObject({ files: 2, bytes: 3_000_004, failed: 0 });
    for (const [name, { bytes }] of objects) expect(readFileSync(join(root, name)).equals(bytes)).toBe(true);
    expect(listFiles(root).sort()).toEqual(['grown', 'shrunk']);
  });

  it('verifies the bytes before it writes to a target without a make method', async () => {
    const calls: string[] = [];
    const target: Target = {
      open: (path) => ({
        write: (position, chunk) => void calls.push(`write ${path} ${position} ${Buffer.from(chunk).toString()}`),
        commit: ({ size, mtimeNs }: FileFacts) => (calls.push(`commit ${path} ${size}`), mtimeNs!),
        discard: () => void calls.push(`discard ${path}`),
      }),
      makeDirectory: () => {},
      remove: () => {},
      exists: () => false,
    };
    const etag = '"00000000000000000000000000000000"';
    buckets.set(
      'few',
      new Map([
        ['good', { bytes: Buffer.from('x') }],
        ['bad', { bytes: Buffer.from('y'), headers: { etag } }],
      ]),
    );
    const summary = await bulk.download({ bucket: 'few', prefix: '' }, target, { retry: { tries: 2, baseDelay: 1 } });
    expect(summary).toMatchObject({ files: 1, failures: [{ code: 'ChecksumMismatch', name: 'bad', tries: 2 }] });
    expect(calls).toEqual(['write good 0 x', 'commit good 1']);
  });
});
