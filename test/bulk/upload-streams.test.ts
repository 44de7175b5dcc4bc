// Own process: measures memory.
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import { DiskSpool } from '../../src/bulk/node/sorting/disk-spool.js';
import { streamSource } from '../../src/bulk/node/files/file-source.js';
import type { SourceFile } from '../../src/bulk/types.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import { listUnfinishedUploads, listObjects, createBucket, createTransfer, s3 } from './s3-store.js';

const MiB = 1024 * 1024;
const PART = 5 * MiB;
/** Memory for one part but not for two, so that parts are spooled on disk. */
const littleMemory = { memory: 8 * MiB, partSize: PART };

const md5 = (bytes: Iterable<Uint8Array>): string => {
  const hash = createHash('md5');
  for (const piece of bytes) hash.update(piece);
  return hash.digest('hex');
};

/** Creates random pieces of this total size. Their sizes differ from those of parts. */
function createPieces(size: number): Buffer[] {
  const all: Buffer[] = [];
  for (let left = size; left > 0; left -= all.at(-1)!.length) all.push(randomBytes(Math.min(left, 700_001)));
  return all;
}

const createStream = (all: Iterable<Uint8Array>): SourceFile =>
  streamSource('stream', async function* () {
    yield* all;
  });

describe('an upload of a stream whose parts exceed the memory', () => {
  it('spools parts on disk and sends them again from there', async () => {
    const bucket = await createBucket();
    await using proxy = await startFaultProxy(s3.endpoint);
    const bulk = createTransfer({ endpoint: proxy.url });
    const broken = proxy.on({ method: 'PUT', path: /partNumber=[13]/, times: 3, fault: { cutRequestAt: MiB } });
    for (const size of [0, 1000, PART, PART + 1, 3 * PART, 18 * MiB + 5]) {
      const all = createPieces(size);
      const place = { bucket, prefix: `s${size}` };
      const options = { ...littleMemory, exact: true, retry: { tries: 5, baseDelay: 1 } };
      expect(await bulk.upload([createStream(all)], place, options)).toMatchObject({ files: 1, bytes: size, failures: [] });
      const stored: Uint8Array[] = [];
      for await (const bytes of bulk.read(place)) stored.push(bytes.slice());
      expect(md5(stored)).toBe(md5(all));
    }
    expect(broken.hits).toBe(3);
    expect(await listUnfinishedUploads(bucket)).toEqual([]);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('.svc-'))).toEqual([]);
  });

  it('leaves no object and no unfinished upload if the stream fails', async () => {
    const bucket = await createBucket();
    const failing = streamSource('stream', async function* () {
      yield* createPieces(8 * MiB);
      throw new Error('no more');
    });
    const summary = await createTransfer().upload([failing], { bucket, prefix: 'x' }, { ...littleMemory, exact: true });
    expect(summary).toMatchObject({ failed: 1, failures: [{ message: 'no more' }] });
    expect(await listUnfinishedUploads(bucket)).toEqual([]);
    expect(await listObjects(createTransfer(), bucket)).toEqual([]);
  });

  it('advises to set TMPDIR if it cannot spool', async () => {
    vi.stubEnv('TMPDIR', '/dev/null/nowhere');
    const place = { bucket: await createBucket(), prefix: 'x' };
    const summary = await createTransfer().upload([createStream(createPieces(1000))], place, { ...littleMemory, exact: true });
    vi.unstubAllEnvs();
    const advice = expect.stringContaining('TMPDIR') as string;
    expect(summary).toMatchObject({ failed: 1, failures: [{ code: 'ScratchUnwritable', advice }] });
  });

  it('reports that the temporary file cannot be read', async () => {
    const spool = new DiskSpool();
    spool.close();
    await expect(spool.read(0, new Uint8Array(1))).rejects.toMatchObject({ code: 'ScratchUnwritable' });
  });

  it('needs little memory for large parts', async () => {
    const bucket = await createBucket();
    const block = randomBytes(64 * 1024);
    const long = streamSource('stream', async function* () {
      for (let index = 0; index < 4096; index++) yield block;
    });
    const before = process.memoryUsage().arrayBuffers;
    let peak = 0;
    const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage().arrayBuffers - before)), 5);
    const options = { exact: true, partSize: 128 * MiB };
    expect(await createTransfer().upload([long], { bucket, prefix: 'x' }, options)).toMatchObject({ files: 1, bytes: 256 * MiB });
    clearInterval(timer);
    expect(peak).toBeLessThan(64 * MiB);
    await createTransfer().delete({ bucket, prefix: 'x' });
  });
});
