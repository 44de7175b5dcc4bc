import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DiskJournal, FolderTarget, walk } from '../../src/bulk/node/index.js';
import type { BulkTransfer, DownloadOptions } from '../../src/bulk/node/index.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import type { FaultProxy, SeenRequest } from '../../fault-proxy/fault-proxy.js';
import { createBucket, createTransfer, createFolder, s3 } from './s3-store.js';

const MiB = 1024 * 1024;
const PART = 5 * MiB;
const few = { retry: { tries: 2, baseDelay: 1 } };

/** Removes the checksums of a response. Ceph 16 keeps none, newer stores do. */
const WITHOUT_CHECKSUM = { 'x-amz-checksum-crc32': null, 'x-amz-checksum-type': null };
/** Also removes the size of the parts. */
const WITHOUT_PART_SIZE = { ...WITHOUT_CHECKSUM, 'x-amz-meta-svc-part-size': null, 'x-amz-mp-parts-count': null };

// The ETag of a multipart object depends on its bytes and the sizes of its parts.
describe('an object without a checksum', () => {
  let proxy: FaultProxy;
  let bulk: BulkTransfer;
  let source: string;
  let bucket: string;
  // Once, because the tests only read the objects.
  beforeAll(async () => {
    bucket = await createBucket();
    source = createFolder();
    for (const [name, size] of [
      ['tiny', 1000],
      ['middle', 12 * MiB],
      ['large', 23 * MiB],
    ] as const)
      writeFileSync(join(source, name), randomBytes(size));
    await createTransfer().upload(walk(source), { bucket, prefix: '' }, { partSize: PART, multipartThreshold: 500 });
  });
  beforeEach(async () => {
    proxy = await startFaultProxy(s3.endpoint);
    bulk = createTransfer({ endpoint: proxy.url });
    proxy.on({ when: isRead, fault: { response: { headers: WITHOUT_CHECKSUM } } });
  });
  afterEach(() => proxy.close());
  const download = async (name: string) => {
    const target = createFolder();
    const summary = await bulk.downloadExact({ bucket, prefix: name }, new FolderTarget(target), name, few);
    const file = join(target, name);
    const same = existsSync(file) && readFileSync(file).equals(readFileSync(join(source, name)));
    return { ...summary, same, remaining: readdirSync(target) };
  };
  const read = async (name: string) => {
    for await (const _ of bulk.read({ bucket, prefix: name }, few));
  };
  const isRead = ({ method }: SeenRequest) => method === 'GET' || method === 'HEAD';
  const hidePartSizes = () => {
    proxy.on({ when: isRead, fault: { response: { headers: WITHOUT_PART_SIZE } } });
    proxy.on({
      method: 'HEAD',
      path: /partNumber=/,
      fault: { response: { headers: { ...WITHOUT_PART_SIZE, 'content-range': null } } },
    });
  };

  it.each(['tiny', 'middle', 'large'])('is compared with the ETag of its parts: %s', async (name) => {
    expect(await download(name)).toMatchObject({ files: 1, same: true, unverified: 0 });
    await read(name);
    proxy.on({ method: 'GET', path: `/${bucket}/${name}`, fault: { response: { headers: WITHOUT_CHECKSUM, flipByteAt: 500 } } });
    expect(await download(name)).toMatchObject({ files: 0, failures: [{ code: 'ChecksumMismatch' }], remaining: [] });
    await expect(read(name)).rejects.toMatchObject({ code: 'ChecksumMismatch' });
  });

  /** Downloads with one try and counts the bytes read back from the file. */
  const downloadAndCountReads = async (name: string, folder: string, settings: DownloadOptions) => {
    let read = 0;
    const target = new FolderTarget(folder);
    const open = target.open.bind(target);
    target.open = async (...args) => {
      const file = await open(...args);
      const from = file.read!.bind(file);
      file.read = (position, into) => ((read += into.length), from(position, into));
      return file;
    };
    const summary = await bulk.downloadExact({ bucket, prefix: name }, target, name, { retry: { tries: 1 }, ...settings });
    return { ...summary, read };
  };

  it('is compared with its ETag while parts arrive, and reads back only the parts of an earlier transfer', async () => {
    const [folder, state] = [createFolder(), createFolder()];
    const downloadLarge = () =>
      downloadAndCountReads('large', folder, { journal: new DiskJournal(state, { keepSettled: false }), concurrency: 1 });
    const requestedRanges = () => proxy.requests.flatMap(({ method, headers }) => (method === 'GET' && headers.range) || []);
    const isFourthRange = ({ headers }: SeenRequest) => headers.range?.startsWith(`bytes=${3 * PART}-`) === true;
    const broken = proxy.on({ when: isFourthRange, fault: { respond: { status: 500 } } });
    expect(await downloadLarge()).toMatchObject({ files: 0, failed: 1, read: 0 });
    broken.remove();
    const before = requestedRanges().length;
    expect(await downloadLarge()).toMatchObject({ files: 1, unverified: 0, read: 18 * MiB });
    expect(requestedRanges().slice(before)).toEqual([`bytes=${3 * PART}-${4 * PART - 1}`]);
    expect(readFileSync(join(folder, 'large')).equals(readFileSync(join(source, 'large')))).toBe(true);
  });

  it('is compared by common part sizes if its own is unknown, and counts as unverified if none fits', async () => {
    hidePartSizes();
    for (const name of ['middle', 'large']) {
      expect(await download(name)).toMatchObject({ files: 1, same: true, unverified: 0 });
      const flip = proxy.on({
        method: 'GET',
        path: `/${bucket}/${name}`,
        fault: { response: { flipByteAt: 500, headers: WITHOUT_PART_SIZE } },
      });
      expect(await download(name)).toMatchObject({ files: 1, same: false, unverified: 1 });
      flip.remove();
    }
  });

  it('fails if the store returns another range or too few bytes', async () => {
    hidePartSizes();
    const object = { method: 'GET', path: `/${bucket}/large` };
    const other = proxy.on({
      ...object,
      when: ({ headers }) => /^bytes=(5242880|8388608)-/.test(headers.range ?? ''),
      fault: { response: { headers: { ...WITHOUT_PART_SIZE, 'content-range': `bytes 0-${PART - 1}/24117248` } } },
    });
    expect(await download('large')).toMatchObject({ files: 0, failures: [{ code: 'UnexpectedAnswer' }] });
    await expect(read('large')).rejects.toMatchObject({ code: 'UnexpectedAnswer' });
    expect(other.hits).toBeGreaterThan(1);
    other.remove();
    proxy.on({ method: 'GET', path: `/${bucket}/middle`, fault: { response: { body: (all) => all.subarray(0, 7 * MiB) } } });
    expect(await download('middle')).toMatchObject({
      files: 0,
      failures: [{ code: 'ConnectionFailed', tries: 2 }],
      remaining: [],
    });
  });
});

describe('two downloads to the same file', () => {
  it.each([[false], [true]])('never mix their bytes: the later one wins (keep %s)', async (keep) => {
    const folder = createFolder();
    const openTarget = () => new FolderTarget(folder).open('f', false);
    const [first, second] = [await openTarget(), await openTarget()];
    await first.write(0, Buffer.alloc(3000, 'a'));
    await second.write(0, Buffer.alloc(2000, 'b'));
    await first.write(1000, Buffer.alloc(1000, 'a'));
    const refused = expect.objectContaining({ code: 'TemporaryGone' }) as Error;
    await expect(async () => first.commit({ size: 3000 })).rejects.toThrow(refused);
    await first.discard(keep);
    await second.commit({ size: 2000 });
    expect(readFileSync(join(folder, 'f'), 'utf8')).toBe('b'.repeat(2000));
    expect(readdirSync(folder)).toEqual(['f']);
  });
});
