import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { appendFileSync, closeSync, mkdirSync, openSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { contentTypeOf } from '../../src/bulk/upload/content-types.js';
import { FileReader } from '../../src/bulk/node/files/file-reader.js';
import { DiskJournal, fileSource, S3Error, walk } from '../../src/bulk/node/index.js';
import type { TransferEvent } from '../../src/bulk/types.js';
import {
  client,
  listUnfinishedUploads,
  listObjects,
  createBucket,
  createTransfer,
  createFolder,
  writeFiles,
} from './s3-store.js';

const MiB = 1024 * 1024;
const md5 = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex');

async function readObject(bucket: string, key: string): Promise<Buffer> {
  const response = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
  return Buffer.from(await response.Body!.transformToByteArray());
}

describe('BulkTransfer.upload', () => {
  it('uploads a folder with empty directories to a prefix', async () => {
    const folder = createFolder();
    const files: Record<string, Buffer> = {
      'empty.txt': Buffer.alloc(0),
      'a/small.txt': randomBytes(10_240),
      'a/deep/er/one.bin': randomBytes(300_000),
      'big.bin': randomBytes(21 * MiB + 7),
    };
    writeFiles(folder, files);
    mkdirSync(join(folder, 'nothing/inside'), { recursive: true });
    const bucket = await createBucket();
    const bulk = createTransfer();
    const summary = await bulk.upload(walk(folder), { bucket, prefix: 'in/' }, { contentType: contentTypeOf });
    expect(summary).toMatchObject({ files: 5, failed: 0, failures: [] });
    expect((await listObjects(bulk, bucket)).map((entry) => entry.key)).toEqual([
      'in/a/deep/er/one.bin',
      'in/a/small.txt',
      'in/big.bin',
      'in/empty.txt',
      'in/nothing/inside/',
    ]);
    for (const [path, bytes] of Object.entries(files)) expect(md5(await readObject(bucket, `in/${path}`))).toBe(md5(bytes));
    expect(await listUnfinishedUploads(bucket)).toEqual([]);
  });

  it('keeps at most 16 MiB of a large part in memory', async () => {
    const folder = createFolder();
    writeFileSync(join(folder, 'f'), randomBytes(24 * MiB));
    const bucket = await createBucket();
    const bulk = createTransfer();
    const { httpClient: wire } = bulk.store;
    const send = wire.send.bind(wire);
    let largest = 0;
    wire.send = (request) => {
      if (request.body instanceof Uint8Array) largest = Math.max(largest, request.body.length);
      return send(request);
    };
    expect(await bulk.upload(walk(folder), { bucket, prefix: '' }, { partSize: 64 * MiB })).toMatchObject({ files: 1 });
    expect(largest).toBeLessThanOrEqual(16 * MiB);
    expect(await readObject(bucket, 'f')).toHaveLength(24 * MiB);
  });

  it('never sends more than 5 GiB in one request', async () => {
    const huge = 6 * 1024 * MiB;
    const file = { path: 'huge', size: huge, open: () => ({ size: huge, read: () => 0, changed: () => false, close: () => {} }) };
    const sizes: number[] = [];
    const bulk = createTransfer({
      wire: {
        send: (request) => {
          sizes.push(request.body instanceof Uint8Array ? request.body.length : 0);
          return Promise.reject(new S3Error('AccessDenied', 'seen', { status: 403 }));
        },
        close: () => {},
      },
    });
    await bulk.upload([file], { bucket: 'b', prefix: '' }, { multipartThreshold: huge });
    expect(sizes).toEqual([0]);
  });

  it('stores content type, time, mode and the given properties', async () => {
    const folder = createFolder();
    const path = join(folder, 'page.html');
    writeFileSync(path, '<p>', { mode: 0o640 });
    utimesSync(path, 1_700_000_000, 1_600_000_000.25);
    const bucket = await createBucket();
    const properties = { cacheControl: 'max-age=60', metadata: { colour: 'dark blue' } };
    await createTransfer().upload(walk(folder), { bucket, prefix: '' }, { contentType: contentTypeOf, properties });
    const head = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'page.html' }));
    expect(head.ContentType).toBe('text/html');
    expect(head.CacheControl).toBe('max-age=60');
    expect(head.Metadata).toEqual({ mtime: '1600000000.250000000', mode: '0100640', colour: 'dark blue' });
  });

  it('stores unusual names byte for byte', async () => {
    const folder = createFolder();
    const names = [
      'a b',
      'caf\u00E9',
      'cafe\u0301',
      '-n',
      'new\nline',
      'quote\'"&<>',
      'plus+percent%41',
      '漢字🙂',
      'tab\t',
      '~tilde*',
      'semi;colon=?#',
    ];
    for (const name of names) writeFileSync(join(folder, name), name);
    const long = Array.from({ length: 5 }, () => 'x'.repeat(200)).join('/');
    mkdirSync(join(folder, long, '..'), { recursive: true });
    writeFileSync(join(folder, long), 'long');
    const bucket = await createBucket();
    const bulk = createTransfer();
    expect(await bulk.upload(walk(folder), { bucket, prefix: `${'k'.repeat(1024 - long.length - 1)}/` })).toMatchObject({
      files: names.length + 1,
      failed: 0,
    });
    const keys = (await listObjects(bulk, bucket)).map((entry) => entry.key.replace(/^k+\//, ''));
    expect(keys.sort()).toEqual([...names, long].sort());
    expect((await bulk.delete({ bucket, prefix: '' })).deleted).toBe(names.length + 1);
    expect(await listObjects(bulk, bucket)).toEqual([]);
  });

  it('fails unreadable files and continues with the others', async () => {
    const folder = createFolder();
    writeFileSync(join(folder, 'good'), 'x');
    symlinkSync(join(folder, 'gone'), join(folder, 'dangling'));
    symlinkSync('.', join(folder, 'round'));
    const events: TransferEvent[] = [];
    const bucket = await createBucket();
    const source = [...walk(folder), { path: `${'k'.repeat(1025)}`, size: 1 }];
    const summary = await createTransfer().upload(source, { bucket, prefix: '' }, { onEvent: (event) => events.push(event) });
    expect(summary.files).toBe(1);
    expect(summary.failures.map((failure) => [failure.name, failure.code])).toEqual(
      expect.arrayContaining([
        ['dangling', 'SourceUnreadable'],
        ['k'.repeat(1025), 'NameUnsafe'],
      ]),
    );
    expect(events.filter((event) => event.type === 'failed')).toHaveLength(summary.failed);
    // Excluded links are not followed, so a dangling one is no failure.
    const filter = (path: string): boolean => path === 'good';
    expect([...walk(folder, { filter })].map((file) => file.path)).toEqual(['good']);
    expect([...walk(folder, { symlinks: 'skip' })].map((file) => file.path)).toEqual(['good']);
  });

  it('fails a file that grows while it is read, and leaves no unfinished upload', async () => {
    const folder = createFolder();
    const path = join(folder, 'growing');
    writeFileSync(path, randomBytes(20 * MiB));
    const bucket = await createBucket();
    const [file] = [...walk(folder)];
    const reader = await file!.open!();
    appendFileSync(path, 'more');
    const summary = await createTransfer().upload([{ ...file!, open: () => reader }], { bucket, prefix: '' });
    expect(summary.failures).toMatchObject([{ name: 'growing', code: 'FileChanged' }]);
    expect(await listUnfinishedUploads(bucket)).toEqual([]);
    expect(await listObjects(createTransfer(), bucket)).toEqual([]);
  });

  it.skipIf(process.platform === 'win32')('can be aborted while it waits for a pipe', async () => {
    const path = join(createFolder(), 'pipe');
    execFileSync('mkfifo', [path]);
    const to = { bucket: await createBucket(), prefix: 'k' };
    for (const silent of [false, true]) {
      const writer = silent ? openSync(path, 'r+') : undefined;
      const stop = new AbortController();
      const source = fileSource(path, 'k', true);
      // The delay lets the pipe block first. Nothing reports that it blocks.
      const abortLater = () => void setTimeout(() => stop.abort(), 50);
      const waiting = createTransfer().upload([{ ...source, stream: (signal) => (abortLater(), source.stream!(signal)) }], to, {
        exact: true,
        signal: stop.signal,
      });
      await expect(waiting).rejects.toMatchObject({ code: 'Aborted' });
      if (writer !== undefined) closeSync(writer);
    }
  });

  it.skipIf(process.platform !== 'linux')('fails a file with size 0 that has content, as in /proc', async () => {
    const [withContent, empty] = [fileSource('/proc/version', 'k'), join(createFolder(), 'empty')];
    writeFileSync(empty, '');
    const to = { bucket: await createBucket(), prefix: '' };
    const summary = await createTransfer().upload([withContent, fileSource(empty, 'empty')], to);
    expect(summary).toMatchObject({ files: 1, failures: [{ name: 'k', code: 'SourceUnreadable' }] });
  });

  it('stores nothing of a small file that changes while it is read', async () => {
    const folder = createFolder();
    const path = join(folder, 'small');
    writeFileSync(path, 'half');
    const [file] = [...walk(folder)];
    const open = () => {
      const reader = new FileReader(path);
      const read = reader.read.bind(reader);
      reader.read = (position, into) => {
        const bytes = read(position, into);
        appendFileSync(path, 'more');
        return bytes;
      };
      return reader;
    };
    const bucket = await createBucket();
    const to = { bucket, prefix: '' };
    const changed = await createTransfer().upload([{ ...file!, open }], to, { onlyNew: true });
    expect(changed.failures).toMatchObject([{ name: 'small', code: 'FileChanged' }]);
    expect(await createTransfer().upload(walk(folder), to, { onlyNew: true })).toMatchObject({ files: 1 });
    expect((await readObject(bucket, 'small')).toString()).toBe('halfmore');
  });

  it('writes each key once, and with onlyNew keeps existing objects', async () => {
    const bucket = await createBucket();
    const bulk = createTransfer();
    const file = (text: string) => ({
      path: 'same',
      size: null,
      async *stream() {
        yield new TextEncoder().encode(text);
      },
    });
    expect(await bulk.upload([file('one'), file('two')], { bucket, prefix: '' })).toMatchObject({
      files: 1,
      failures: [{ name: 'same', code: 'NameUnsafe' }],
    });
    expect(await bulk.upload([file('three')], { bucket, prefix: '' }, { onlyNew: true })).toMatchObject({ files: 0, skipped: 1 });
    expect((await readObject(bucket, 'same')).toString()).toBe('one');
  });

  it('uploads a stream of unknown length', async () => {
    const bucket = await createBucket();
    const bulk = createTransfer();
    const pieces = Array.from({ length: 23 }, () => randomBytes(1_000_003));
    const stream = async function* () {
      yield* pieces;
    };
    expect(await bulk.upload([{ path: 'stream', size: null, stream }], { bucket, prefix: '' })).toMatchObject({
      files: 1,
      failed: 0,
    });
    expect(md5(await readObject(bucket, 'stream'))).toBe(md5(Buffer.concat(pieces)));
    expect(await listUnfinishedUploads(bucket)).toEqual([]);
  });

  it('uploads several files at once with parts larger than its memory', async () => {
    const folder = createFolder();
    for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, name), randomBytes(21 * MiB));
    const bucket = await createBucket();
    const bulk = createTransfer();
    const options = { partSize: 20 * MiB, memory: 3 * MiB, concurrency: 2 };
    expect(await bulk.upload(walk(folder), { bucket, prefix: '' }, options)).toMatchObject({ files: 3, failed: 0 });
    expect(await bulk.verify(() => walk(folder, { sorted: true }), { bucket, prefix: '' })).toMatchObject({
      files: 3,
      failed: 0,
    });
  });

  it('ends early if the bucket does not exist', async () => {
    const folder = createFolder();
    for (let i = 0; i < 500; i++) writeFileSync(join(folder, `f${i}`), 'x');
    const bulk = createTransfer();
    const summary = await bulk.upload(walk(folder), { bucket: 'no-such-bucket-here', prefix: '' });
    expect(summary.failures[0]).toMatchObject({ code: 'NoSuchBucket' });
    expect(summary.failed).toBeLessThan(100);
  });

  it('with a journal detects that an object was replaced by one of equal size', async () => {
    const folder = createFolder();
    writeFiles(folder, { f: 'AAAA', g: 'AAAA' });
    symlinkSync('nowhere', join(folder, 'broken'));
    const bucket = await createBucket();
    const state = createFolder();
    const journal = () => new DiskJournal(state, { keepSettled: false });
    const upload = () => createTransfer().upload(walk(folder), { bucket, prefix: '' }, { journal: journal() });
    expect(await upload()).toMatchObject({ files: 2, failed: 1 });
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'g', Body: 'BBBB' }));
    expect(await upload()).toMatchObject({ files: 1, skipped: 1, failed: 1 });
    expect(String(await readObject(bucket, 'g'))).toBe('AAAA');
  });
});
