import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DiskJournal, FolderTarget, walk } from '../../src/bulk/node/index.js';
import type { BulkTransfer, DownloadOptions } from '../../src/bulk/node/index.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import type { FaultProxy, SeenRequest } from '../../fault-proxy/fault-proxy.js';
import { createBucket, createTransfer, createFolder, s3 } from './s3-store.js';

const MiB = 1024 * 1024;
const PART = 5 * MiB;
const few = { retry: { tries: 2, baseDelay: 1 } };

/** What newer stores tell beside the ETag: Ceph 16 keeps no checksums. */
const BARE = { 'x-amz-checksum-crc32': null, 'x-amz-checksum-type': null };
/** And how large the parts were. */
const UNTOLD = { ...BARE, 'x-amz-meta-svc-part-size': null, 'x-amz-mp-parts-count': null };

// Of what came in parts, the ETag alone tells the bytes.
describe('an object without a checksum', () => {
  let proxy: FaultProxy;
  let bulk: BulkTransfer;
  let source: string;
  let bucket: string;
  beforeEach(async () => {
    proxy = await startFaultProxy(s3.endpoint);
    bulk = createTransfer({ endpoint: proxy.url });
    bucket = await createBucket();
    source = createFolder();
    for (const [name, size] of [
      ['tiny', 1000],
      ['middle', 12 * MiB],
      ['large', 23 * MiB],
    ] as const)
      writeFileSync(join(source, name), randomBytes(size));
    await bulk.upload(walk(source), { bucket, prefix: '' }, { partSize: PART, multipartThreshold: 500 });
    proxy.on({ when: asks, fault: { response: { headers: BARE } } });
  });
  afterEach(() => proxy.close());
  const fetched = async (name: string) => {
    const target = createFolder();
    const summary = await bulk.downloadExact({ bucket, prefix: name }, new FolderTarget(target), name, few);
    const file = join(target, name);
    const same = existsSync(file) && readFileSync(file).equals(readFileSync(join(source, name)));
    return { ...summary, same, left: readdirSync(target) };
  };
  const read = async (name: string) => {
    for await (const _ of bulk.read({ bucket, prefix: name }, few));
  };
  const asks = ({ method }: SeenRequest) => method === 'GET' || method === 'HEAD';
  const untold = () => {
    proxy.on({ when: asks, fault: { response: { headers: UNTOLD } } });
    proxy.on({ method: 'HEAD', path: /partNumber=/, fault: { response: { headers: { ...UNTOLD, 'content-range': null } } } });
  };

  it.each(['tiny', 'middle', 'large'])('is compared with the ETag of its parts: %s', async (name) => {
    expect(await fetched(name)).toMatchObject({ files: 1, same: true, unverified: 0 });
    await read(name);
    proxy.on({ method: 'GET', path: `/${bucket}/${name}`, fault: { response: { headers: BARE, flipByteAt: 500 } } });
    expect(await fetched(name)).toMatchObject({ files: 0, failures: [{ code: 'ChecksumMismatch' }], left: [] });
    await expect(read(name)).rejects.toMatchObject({ code: 'ChecksumMismatch' });
  });

  /** Fetches with one try, and tells how much of the file was read again. */
  const reading = async (name: string, folder: string, settings: DownloadOptions) => {
    let read = 0;
    const target = new FolderTarget(folder);
    const open = target.open.bind(target);
    target.open = async (...given) => {
      const file = await open(...given);
      const from = file.read!.bind(file);
      file.read = (position, into) => ((read += into.length), from(position, into));
      return file;
    };
    const summary = await bulk.downloadExact({ bucket, prefix: name }, target, name, { retry: { tries: 1 }, ...settings });
    return { ...summary, read };
  };

  it('is compared with the ETag of its parts as they come, also of those of a run before, and not read again', async () => {
    const [folder, state] = [createFolder(), createFolder()];
    const down = () => reading('large', folder, { journal: new DiskJournal(state, { keepSettled: false }), concurrency: 1 });
    const ranges = () => proxy.requests.flatMap(({ method, headers }) => (method === 'GET' && headers.range) || []);
    const fourth = ({ headers }: SeenRequest) => headers.range?.startsWith(`bytes=${3 * PART}-`) === true;
    const broken = proxy.on({ when: fourth, fault: { respond: { status: 500 } } });
    expect(await down()).toMatchObject({ files: 0, failed: 1, read: 0 });
    broken.remove();
    const before = ranges().length;
    expect(await down()).toMatchObject({ files: 1, unverified: 0, read: 18 * MiB });
    expect(ranges().slice(before)).toEqual([`bytes=${3 * PART}-${4 * PART - 1}`]);
    expect(readFileSync(join(folder, 'large')).equals(readFileSync(join(source, 'large')))).toBe(true);
  });

  it('is compared by the usual sizes of parts where none is told, and counted where none fits', async () => {
    untold();
    for (const name of ['middle', 'large']) {
      expect(await fetched(name)).toMatchObject({ files: 1, same: true, unverified: 0 });
      const flip = proxy.on({
        method: 'GET',
        path: `/${bucket}/${name}`,
        fault: { response: { flipByteAt: 500, headers: UNTOLD } },
      });
      expect(await fetched(name)).toMatchObject({ files: 1, same: false, unverified: 1 });
      flip.remove();
    }
  });

  it('is not taken from another range, nor as a part of itself', async () => {
    untold();
    const object = { method: 'GET', path: `/${bucket}/large` };
    const other = proxy.on({
      ...object,
      when: ({ headers }) => /^bytes=(5242880|8388608)-/.test(headers.range ?? ''),
      fault: { response: { headers: { ...UNTOLD, 'content-range': `bytes 0-${PART - 1}/24117248` } } },
    });
    expect(await fetched('large')).toMatchObject({ files: 0, failures: [{ code: 'UnexpectedAnswer' }] });
    await expect(read('large')).rejects.toMatchObject({ code: 'UnexpectedAnswer' });
    expect(other.hits).toBeGreaterThan(1);
    other.remove();
    proxy.on({ method: 'GET', path: `/${bucket}/middle`, fault: { response: { body: (all) => all.subarray(0, 7 * MiB) } } });
    expect(await fetched('middle')).toMatchObject({ files: 0, failures: [{ code: 'ConnectionFailed', tries: 2 }], left: [] });
  });
});

describe('two runs to one file', () => {
  it.each([[false], [true]])('never share what they write; the later one stands (keep %s)', async (keep) => {
    const folder = createFolder();
    const begin = () => new FolderTarget(folder).open('f', false);
    const [one, two] = [await begin(), await begin()];
    await one.write(0, Buffer.alloc(3000, 'a'));
    await two.write(0, Buffer.alloc(2000, 'b'));
    await one.write(1000, Buffer.alloc(1000, 'a'));
    const refused = expect.objectContaining({ code: 'TemporaryGone' }) as Error;
    await expect(async () => one.commit({ size: 3000 })).rejects.toThrow(refused);
    await one.discard(keep);
    await two.commit({ size: 2000 });
    expect(readFileSync(join(folder, 'f'), 'utf8')).toBe('b'.repeat(2000));
    expect(readdirSync(folder)).toEqual(['f']);
  });
});
