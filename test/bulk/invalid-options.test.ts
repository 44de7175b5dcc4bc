// Long because every option and every callback of the library has its case.
import type { RunOptions } from '../../src/bulk/transfer/run-options.js';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { S3Client } from '@aws-sdk/client-s3';
import { createBulkTransfer, FolderTarget, walk } from '../../src/bulk/node/index.js';
import type { Credentials, ObjectProperties, SourceFile, Target } from '../../src/bulk/types.js';
import { createBucket, createTransfer, createFolder } from './s3-store.js';

/** A file of bytes that are at hand. */
const held = (path: string, text = path): SourceFile => {
  const bytes = new TextEncoder().encode(text);
  return {
    path,
    size: bytes.length,
    open: () => ({
      size: bytes.length,
      read(position, into) {
        into.set(bytes.subarray(position, position + into.length));
        return Math.min(into.length, bytes.length - position);
      },
      changed: () => false,
      close() {},
    }),
  };
};

const arrayOf = async (pieces: AsyncIterable<Uint8Array>) => {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(Buffer.from(piece));
  return all;
};

const never = new Promise<never>(() => {});

describe('what a program says', () => {
  const bulk = createTransfer();

  it.each<[keyof RunOptions | 'partSize', unknown]>([
    ['concurrency', 0],
    ['concurrency', Number.NaN],
    ['maxConcurrency', 0],
    ['maxConcurrency', 1.5],
    ['memory', -1],
    ['partSize', Number.NaN],
    ['partSize', 6 * 1024 ** 3],
  ])('is refused before anything is sent when %s is %s', async (name, value) => {
    const run = bulk.upload([held('a')], { bucket: 'nobody-asks', prefix: '' }, { [name]: value });
    await expect(run).rejects.toMatchObject({ code: 'InvalidOption', message: expect.stringContaining(`${name}: `) });
  });

  it.each<ObjectProperties>([
    { contentDisposition: 'attachment; filename="x\r\ncontent-length: 0\r\n\r\nGET / HTTP/1.1"' },
    { metadata: { title: 'Übersicht' } },
    { metadata: { 'a b': 'c' } },
    { metadata: { 'n\r\nx': 'c' } },
  ])('is refused where it is no header: %j', async (properties) => {
    const run = bulk.upload([held('a')], { bucket: 'nobody-asks', prefix: '' }, { properties });
    await expect(run).rejects.toMatchObject({ code: 'InvalidOption' });
  });

  it('ends no line of a request, wherever it comes from', async () => {
    const bucket = await createBucket();
    const files = [held('a'), held('evil'), held('b')];
    const contentType = (path: string) => (path === 'evil' ? 'text/plain\r\ncontent-length: 0\r\n\r\nGET / HTTP/1.1' : undefined);
    const summary = await bulk.upload(files, { bucket, prefix: '' }, { contentType, concurrency: 1 });
    expect(summary).toMatchObject({ files: 2, failures: [{ name: 'evil', code: 'InvalidOption' }] });
    expect(await arrayOf(bulk.read({ bucket, prefix: 'b' }))).toEqual([Buffer.from('b')]);
    const broken = createTransfer({ credentials: { accessKeyId: 'key\n', secretAccessKey: 'secret' } });
    await expect(broken.buckets()).rejects.toMatchObject({ code: 'InvalidOption' });
    const wrong = bulk.upload([held('a')], { bucket: 'a HTTP/1.1\r\nhost: x', prefix: '' });
    await expect(wrong).rejects.toMatchObject({ code: 'InvalidOption' });
  });

  it.each<[string, string, object | undefined]>([
    ['endpoint', 'such as http://localhost:9000', { endpoint: 'localhost:9000', credentials: 'anonymous' }],
    ['endpoint', 'begins with http:// or https://', { endpoint: 'ftp://store', credentials: 'anonymous' }],
    ['credentials', 'anonymous', { endpoint: 'http://localhost:9000' }],
    ['credentials', 'anonymous', undefined],
  ])('is refused where it names no store: %s (%s)', (name, advice, options) => {
    const message = expect.stringMatching(new RegExp(`^${name}: .*${advice}`));
    expect(() => createBulkTransfer(options as never)).toThrow(expect.objectContaining({ code: 'InvalidOption', message }));
  });

  it.each([
    { bucket: 'main/../other', prefix: '' },
    { bucket: '..', prefix: '' },
    { bucket: '', prefix: '' },
    { bucket: 'main', prefix: undefined as unknown as string },
  ])('is refused where it is no place: %j', async (place) => {
    const refused = { code: 'InvalidOption', message: expect.stringMatching(/^(?:bucket|prefix): /) };
    await expect(bulk.upload([held('a')], place)).rejects.toMatchObject(refused);
    await expect(bulk.syncWithin({ bucket: 'main', prefix: '' }, place)).rejects.toMatchObject(refused);
    await expect(bulk.delete(place)).rejects.toMatchObject(refused);
    expect(() => bulk.list(place)).toThrow(expect.objectContaining(refused));
  });

  it('names a folder where a sync deletes, or what lies beside it would go as well', async () => {
    const bucket = await createBucket();
    const [place, folder] = [
      { bucket, prefix: 'un' },
      { bucket, prefix: 'in/' },
    ];
    await bulk.upload([held('undo')], { bucket, prefix: '' });
    const refused = { code: 'InvalidOption', message: expect.stringContaining('use un/') };
    const target = createFolder();
    const options = { delete: true, maxDelete: 9 };
    await expect(bulk.syncUp(() => [held('a')], place, options)).rejects.toMatchObject(refused);
    await expect(bulk.syncDown(place, new FolderTarget(target), () => walk(target), options)).rejects.toMatchObject(refused);
    await expect(bulk.syncWithin(folder, place, options)).rejects.toMatchObject(refused);
    await expect(bulk.syncWithin(place, folder, options)).rejects.toMatchObject(refused);
    expect(await bulk.syncUp(() => [held('a')], { bucket, prefix: 'un/' }, options)).toMatchObject({ files: 1, deleted: 0 });
  });

  it('is no key with a zero byte in it', async () => {
    const summary = await bulk.upload([held('a\0b')], { bucket: await createBucket(), prefix: '' });
    expect(summary).toMatchObject({ files: 0, failures: [{ code: 'NameUnsafe' }] });
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['half a pair', { accessKeyId: 'a' }],
    ['a date that is a text', { accessKeyId: 'a', secretAccessKey: 'b', expiration: '2030-01-01' }],
  ])('gives no keys with %s', async (_, answer) => {
    const keyless = createTransfer({ credentials: async () => answer as Credentials });
    await expect(keyless.buckets()).rejects.toMatchObject({ code: 'CredentialsMissing' });
  });

  it.each(['../out', 'a/../../out', '/out', '..'])('writes nothing outside of the target: %s', async (path) => {
    const bucket = await createBucket();
    await bulk.upload([held('k')], { bucket, prefix: '' });
    const folder = createFolder();
    const summary = await bulk.downloadExact({ bucket, prefix: 'k' }, new FolderTarget(join(folder, 'in')), path);
    expect(summary).toMatchObject({ files: 0, failures: [{ code: 'NameUnsafe' }] });
    expect(existsSync(join(folder, 'out'))).toBe(false);
  });
});

describe('what listens to a run', () => {
  it.each(['onEvent', 'onProgress'] as const)('ends it by throwing in %s, and learns what was done', async (name) => {
    const bucket = await createBucket();
    const cause = new Error('mine');
    const listener = (): never => {
      throw cause;
    };
    const run = createTransfer().upload([held('a'), held('b')], { bucket, prefix: '' }, { [name]: listener });
    await expect(run).rejects.toMatchObject({ code: 'ListenerFailed', cause, summary: { failed: 0 } });
  });

  it('hears of a session by the file that was being told of', async () => {
    const cause = new Error('mine');
    const onEvent = (): never => {
      throw cause;
    };
    const session = createTransfer().uploadSession({ bucket: await createBucket(), prefix: '' }, { onEvent });
    await expect(session.send(held('a'))).rejects.toMatchObject({ code: 'ListenerFailed', cause });
    session.close();
  });

  it('is told of a failure with what caused it', async () => {
    const cause = new Error('boom');
    const source: SourceFile[] = [
      {
        path: 'x',
        size: null,
        stream: () => {
          throw cause;
        },
      },
    ];
    const { failures } = await createTransfer().upload(source, { bucket: await createBucket(), prefix: '' });
    expect(failures).toMatchObject([{ code: 'SourceUnreadable', status: 0 }]);
    expect(failures[0]!.error.cause).toBe(cause);
    expect(JSON.stringify(failures)).not.toContain('"error"');
  });
});

describe('what never answers is left when the run is stopped', () => {
  const stopped = { code: 'Aborted' };
  const soon = () => ({ signal: AbortSignal.timeout(300) });

  it('where keys come from', async () => {
    const to = { bucket: 'nobody-asks', prefix: '' };
    for (const options of [
      { credentials: () => never },
      { client: new S3Client({ region: 'eu-1', credentials: () => never }) },
    ]) {
      const bulk = createTransfer(options);
      await expect(bulk.upload([held('a')], to, soon())).rejects.toMatchObject(stopped);
      await expect(bulk.list(to, soon()).next()).rejects.toMatchObject(stopped);
      await expect(bulk.delete(to, { keys: ['a'], ...soon() })).rejects.toMatchObject(stopped);
    }
  });

  it('a source, of a session as well', async () => {
    const session = createTransfer().uploadSession({ bucket: await createBucket(), prefix: '' }, {});
    const reader = { size: 3, read: () => 3, changed: () => false, close() {} };
    const close = vi.fn();
    let open: ((late: object) => void) | undefined;
    const opens = () => new Promise<never>((resolve) => (open = resolve as typeof open));
    const readers = [opens, () => ({ ...reader, read: () => never }), () => ({ ...reader, changed: () => never })];
    for (const [at, make] of readers.entries())
      await expect(session.send({ path: `f${at}`, size: 3, open: make }, soon())).rejects.toMatchObject(stopped);
    open!({ ...reader, close });
    await expect.poll(() => close.mock.calls.length, { timeout: 10_000 }).toBe(1);
    session.close();
  });

  it('a target', async () => {
    const bucket = await createBucket();
    await createTransfer().upload([held('a')], { bucket, prefix: '' });
    const opens = { open: () => never };
    const commits = {
      open: () => ({ write: () => undefined, commit: () => never, discard: () => undefined }),
    };
    const run = (target: object) => createTransfer().download({ bucket, prefix: '' }, target as Target, soon());
    await Promise.all([opens, commits].map((target) => expect(run(target)).rejects.toMatchObject(stopped)));
  }, 60_000);
});

describe('keys that cannot be had', () => {
  it('end the run, of a client of one’s own as well', async () => {
    const credentials = vi.fn(() => Promise.reject(new Error('no role')));
    const own = new S3Client({ region: 'eu-1', credentials });
    const files = Array.from({ length: 200 }, (_, i) => held(`f${i}`));
    for (const options of [{ credentials }, { client: own }]) {
      credentials.mockClear();
      const summary = await createTransfer(options).upload(files, { bucket: 'nobody-asks', prefix: '' });
      expect(summary).toMatchObject({ files: 0, ended: 'CredentialsMissing' });
      expect(summary.failures[0]!.message).toContain('no role');
      expect(credentials.mock.calls.length).toBeLessThan(50);
    }
  });
});

const boom = (): never => {
  throw new Error('boom');
};

describe('a source of somebody’s own', () => {
  const upload = (source: AsyncIterable<SourceFile> | Iterable<SourceFile>, bucket: string, signal?: AbortSignal) =>
    createTransfer().upload(source, { bucket, prefix: '' }, signal === undefined ? {} : { signal });

  it.each<[string, () => AsyncIterable<SourceFile> | Iterable<SourceFile>]>([
    [
      'says nothing more',
      async function* () {
        yield held('a');
        await never;
      },
    ],
    [
      'has a stream that says nothing more',
      () => [
        {
          path: 'x',
          size: null,
          async *stream() {
            yield new Uint8Array(3);
            await never;
          },
        },
      ],
    ],
  ])('that %s is left when the run is stopped', async (_, source) => {
    const bucket = await createBucket();
    await expect(upload(source(), bucket, AbortSignal.timeout(300))).rejects.toMatchObject({ code: 'Aborted' });
  });

  it('that says nothing more holds up no run that cannot succeed', async () => {
    const summary = await upload(
      (async function* () {
        yield held('a');
        await never;
      })(),
      'no-such-bucket-of-anybody',
    );
    expect(summary).toMatchObject({ failed: 1, ended: 'NoSuchBucket' });
  });

  it('is told for what it is when it fails', async () => {
    const bucket = await createBucket();
    const files: SourceFile[] = [
      held('good'),
      {
        path: 'text',
        size: null,
        stream: () =>
          (async function* () {
            yield 'text' as unknown as Uint8Array;
          })(),
      },
      {
        path: 'thrown',
        size: null,
        stream: () =>
          (async function* () {
            yield new Uint8Array(1);
            boom();
          })(),
      },
      { path: 'unopened', size: 1, open: boom },
      { path: 'rejected', size: 1, open: async () => boom() },
    ];
    const summary = await upload(files, bucket);
    expect(summary).toMatchObject({ files: 1, failed: 4 });
    expect(summary.failures.map(({ name, code }) => `${name} ${code}`).sort()).toEqual([
      'rejected SourceUnreadable',
      'text SourceUnreadable',
      'thrown SourceUnreadable',
      'unopened SourceUnreadable',
    ]);
    const broken = upload(
      (function* () {
        yield held('first');
        boom();
      })(),
      bucket,
    );
    await expect(broken).rejects.toMatchObject({ code: 'SourceUnreadable', summary: { files: 1 } });
  });

  it.each<[string, () => AsyncIterable<SourceFile> | Iterable<SourceFile>]>([
    ['at once', () => boom()],
    [
      'in its midst',
      function* () {
        yield held('a');
        boom();
      },
    ],
    [
      'in its midst, later',
      async function* () {
        yield held('a');
        boom();
      },
    ],
  ])('is told for what it is when its tree fails %s', async (_, tree) => {
    const place = { bucket: await createBucket(), prefix: '' };
    const bulk = createTransfer();
    const told = { code: 'SourceUnreadable', message: 'boom', cause: expect.objectContaining({ message: 'boom' }) };
    await expect(bulk.syncUp(tree, place, { delete: true })).rejects.toMatchObject(told);
    await expect(bulk.syncDown(place, new FolderTarget(createFolder()), tree)).rejects.toMatchObject(told);
    await expect(bulk.verify(tree, place)).rejects.toMatchObject(told);
  });
});
