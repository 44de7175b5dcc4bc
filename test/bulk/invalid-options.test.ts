// Long because every option and every callback of the library has a case.
import type { RunOptions } from '../../src/bulk/transfer/run-options.js';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { S3Client } from '@aws-sdk/client-s3';
import { createBulkTransfer, FolderTarget, walk } from '../../src/bulk/node/index.js';
import type { Credentials, ObjectProperties, SourceFile, Target } from '../../src/bulk/types.js';
import { createBucket, createTransfer, createFolder } from './s3-store.js';

/** Creates a source file with this text. */
const createFile = (path: string, text = path): SourceFile => {
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

const readPieces = async (pieces: AsyncIterable<Uint8Array>) => {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(Buffer.from(piece));
  return all;
};

const never = new Promise<never>(() => {});

describe('BulkTransfer', () => {
  const bulk = createTransfer();

  it.each<[keyof RunOptions | 'partSize', unknown]>([
    ['concurrency', 0],
    ['concurrency', Number.NaN],
    ['maxConcurrency', 0],
    ['maxConcurrency', 1.5],
    ['memory', -1],
    ['partSize', Number.NaN],
    ['partSize', 6 * 1024 ** 3],
  ])('rejects the option %s with the value %s before it sends a request', async (name, value) => {
    const run = bulk.upload([createFile('a')], { bucket: 'unused-bucket', prefix: '' }, { [name]: value });
    await expect(run).rejects.toMatchObject({ code: 'InvalidOption', message: expect.stringContaining(`${name}: `) });
  });

  it.each<ObjectProperties>([
    { contentDisposition: 'attachment; filename="x\r\ncontent-length: 0\r\n\r\nGET / HTTP/1.1"' },
    { metadata: { title: 'Übersicht' } },
    { metadata: { 'a b': 'c' } },
    { metadata: { 'n\r\nx': 'c' } },
  ])('rejects properties that no header can contain: %j', async (properties) => {
    const run = bulk.upload([createFile('a')], { bucket: 'unused-bucket', prefix: '' }, { properties });
    await expect(run).rejects.toMatchObject({ code: 'InvalidOption' });
  });

  it('rejects line breaks in content types, credentials and bucket names', async () => {
    const bucket = await createBucket();
    const files = [createFile('a'), createFile('evil'), createFile('b')];
    const contentType = (path: string) => (path === 'evil' ? 'text/plain\r\ncontent-length: 0\r\n\r\nGET / HTTP/1.1' : undefined);
    const summary = await bulk.upload(files, { bucket, prefix: '' }, { contentType, concurrency: 1 });
    expect(summary).toMatchObject({ files: 2, failures: [{ name: 'evil', code: 'InvalidOption' }] });
    expect(await readPieces(bulk.read({ bucket, prefix: 'b' }))).toEqual([Buffer.from('b')]);
    const broken = createTransfer({ credentials: { accessKeyId: 'key\n', secretAccessKey: 'secret' } });
    await expect(broken.buckets()).rejects.toMatchObject({ code: 'InvalidOption' });
    const invalidBucket = bulk.upload([createFile('a')], { bucket: 'a HTTP/1.1\r\nhost: x', prefix: '' });
    await expect(invalidBucket).rejects.toMatchObject({ code: 'InvalidOption' });
  });

  it.each<[string, string, object | undefined]>([
    ['endpoint', 'such as http://localhost:9000', { endpoint: 'localhost:9000', credentials: 'anonymous' }],
    ['endpoint', 'begins with http:// or https://', { endpoint: 'ftp://store', credentials: 'anonymous' }],
    ['credentials', 'anonymous', { endpoint: 'http://localhost:9000' }],
    ['credentials', 'anonymous', undefined],
  ])('rejects an invalid or missing store: %s (%s)', (name, advice, options) => {
    const message = expect.stringMatching(new RegExp(`^${name}: .*${advice}`));
    expect(() => createBulkTransfer(options as never)).toThrow(expect.objectContaining({ code: 'InvalidOption', message }));
  });

  it.each([
    { bucket: 'main/../other', prefix: '' },
    { bucket: '..', prefix: '' },
    { bucket: '', prefix: '' },
    { bucket: 'main', prefix: undefined as unknown as string },
  ])('rejects an invalid bucket or prefix: %j', async (place) => {
    const refused = { code: 'InvalidOption', message: expect.stringMatching(/^(?:bucket|prefix): /) };
    await expect(bulk.upload([createFile('a')], place)).rejects.toMatchObject(refused);
    await expect(bulk.syncWithin({ bucket: 'main', prefix: '' }, place)).rejects.toMatchObject(refused);
    await expect(bulk.delete(place)).rejects.toMatchObject(refused);
    expect(() => bulk.list(place)).toThrow(expect.objectContaining(refused));
  });

  it('rejects sync with delete if a prefix has no trailing slash', async () => {
    const bucket = await createBucket();
    const [place, folder] = [
      { bucket, prefix: 'un' },
      { bucket, prefix: 'in/' },
    ];
    await bulk.upload([createFile('undo')], { bucket, prefix: '' });
    const refused = { code: 'InvalidOption', message: expect.stringContaining('use un/') };
    const target = createFolder();
    const options = { delete: true, maxDelete: 9 };
    await expect(bulk.syncUp(() => [createFile('a')], place, options)).rejects.toMatchObject(refused);
    await expect(bulk.syncDown(place, new FolderTarget(target), () => walk(target), options)).rejects.toMatchObject(refused);
    await expect(bulk.syncWithin(folder, place, options)).rejects.toMatchObject(refused);
    await expect(bulk.syncWithin(place, folder, options)).rejects.toMatchObject(refused);
    expect(await bulk.syncUp(() => [createFile('a')], { bucket, prefix: 'un/' }, options)).toMatchObject({
      files: 1,
      deleted: 0,
    });
  });

  it('fails a key that contains a zero byte', async () => {
    const summary = await bulk.upload([createFile('a\0b')], { bucket: await createBucket(), prefix: '' });
    expect(summary).toMatchObject({ files: 0, failures: [{ code: 'NameUnsafe' }] });
  });

  it.each<[string, unknown]>([
    ['no value', undefined],
    ['half a pair', { accessKeyId: 'a' }],
    ['a date that is a text', { accessKeyId: 'a', secretAccessKey: 'b', expiration: '2030-01-01' }],
  ])('rejects credentials with %s', async (_, provided) => {
    const keyless = createTransfer({ credentials: async () => provided as Credentials });
    await expect(keyless.buckets()).rejects.toMatchObject({ code: 'CredentialsMissing' });
  });

  it.each(['../out', 'a/../../out', '/out', '..'])('never writes outside the target: %s', async (path) => {
    const bucket = await createBucket();
    await bulk.upload([createFile('k')], { bucket, prefix: '' });
    const folder = createFolder();
    const summary = await bulk.downloadExact({ bucket, prefix: 'k' }, new FolderTarget(join(folder, 'in')), path);
    expect(summary).toMatchObject({ files: 0, failures: [{ code: 'NameUnsafe' }] });
    expect(existsSync(join(folder, 'out'))).toBe(false);
  });
});

describe('a callback of a transfer', () => {
  it.each(['onEvent', 'onProgress'] as const)('that throws in %s ends the transfer with a summary', async (name) => {
    const bucket = await createBucket();
    const cause = new Error('mine');
    const listener = (): never => {
      throw cause;
    };
    const run = createTransfer().upload([createFile('a'), createFile('b')], { bucket, prefix: '' }, { [name]: listener });
    await expect(run).rejects.toMatchObject({ code: 'ListenerFailed', cause, summary: { failed: 0 } });
  });

  it('that throws in an upload session rejects the file that it was called for', async () => {
    const cause = new Error('mine');
    const onEvent = (): never => {
      throw cause;
    };
    const session = createTransfer().uploadSession({ bucket: await createBucket(), prefix: '' }, { onEvent });
    await expect(session.send(createFile('a'))).rejects.toMatchObject({ code: 'ListenerFailed', cause });
    session.close();
  });

  it('gets the cause of a failure', async () => {
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

// Each of these waits for requests that an abort may leave in progress, so they run in parallel.
describe.concurrent('aborting a transfer', () => {
  const aborted = { code: 'Aborted' };
  const abortSoon = () => ({ signal: AbortSignal.timeout(300) });

  it('does not wait for a credential provider', async () => {
    const to = { bucket: 'unused-bucket', prefix: '' };
    const transfers = [
      createTransfer({ credentials: () => never }),
      createTransfer({ client: new S3Client({ region: 'eu-1', credentials: () => never }) }),
    ];
    const running = transfers.flatMap((bulk) => [
      bulk.upload([createFile('a')], to, abortSoon()),
      bulk.list(to, abortSoon()).next(),
      bulk.delete(to, { keys: ['a'], ...abortSoon() }),
    ]);
    await Promise.all(running.map((transfer) => expect(transfer).rejects.toMatchObject(aborted)));
  });

  it('does not wait for a source, and closes a reader that opens later', async () => {
    const session = createTransfer().uploadSession({ bucket: await createBucket(), prefix: '' }, {});
    const reader = { size: 3, read: () => 3, changed: () => false, close() {} };
    const close = vi.fn();
    let open: ((late: object) => void) | undefined;
    const opens = () => new Promise<never>((resolve) => (open = resolve as typeof open));
    const readers = [opens, () => ({ ...reader, read: () => never }), () => ({ ...reader, changed: () => never })];
    for (const [index, make] of readers.entries())
      await expect(session.send({ path: `f${index}`, size: 3, open: make }, abortSoon())).rejects.toMatchObject(aborted);
    open!({ ...reader, close });
    await expect.poll(() => close.mock.calls.length).toBe(1);
    session.close();
  });

  it('does not wait for a target', async () => {
    const bucket = await createBucket();
    await createTransfer().upload([createFile('a')], { bucket, prefix: '' });
    const opens = { open: () => never };
    const commits = {
      open: () => ({ write: () => undefined, commit: () => never, discard: () => undefined }),
    };
    const run = (target: object) => createTransfer().download({ bucket, prefix: '' }, target as Target, abortSoon());
    await Promise.all([opens, commits].map((target) => expect(run(target)).rejects.toMatchObject(aborted)));
  });
});

describe('a credential provider', () => {
  it('that fails ends the transfer, also with a custom SDK client', async () => {
    const credentials = vi.fn(() => Promise.reject(new Error('no role')));
    const customClient = new S3Client({ region: 'eu-1', credentials });
    const files = Array.from({ length: 200 }, (_, i) => createFile(`f${i}`));
    for (const options of [{ credentials }, { client: customClient }]) {
      credentials.mockClear();
      const summary = await createTransfer(options).upload(files, { bucket: 'unused-bucket', prefix: '' });
      expect(summary).toMatchObject({ files: 0, ended: 'CredentialsMissing' });
      expect(summary.failures[0]!.message).toContain('no role');
      expect(credentials.mock.calls.length).toBeLessThan(50);
    }
  });
});

const throwBoom = (): never => {
  throw new Error('boom');
};

describe('a custom source', () => {
  const upload = (source: AsyncIterable<SourceFile> | Iterable<SourceFile>, bucket: string, signal?: AbortSignal) =>
    createTransfer().upload(source, { bucket, prefix: '' }, signal === undefined ? {} : { signal });

  it.each<[string, () => AsyncIterable<SourceFile> | Iterable<SourceFile>]>([
    [
      'never ends',
      async function* () {
        yield createFile('a');
        await never;
      },
    ],
    [
      'has a stream that never ends',
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
  ])('that %s does not delay an abort', async (_, source) => {
    const bucket = await createBucket();
    await expect(upload(source(), bucket, AbortSignal.timeout(300))).rejects.toMatchObject({ code: 'Aborted' });
  });

  it('that never ends does not delay a transfer that cannot succeed', async () => {
    const summary = await upload(
      (async function* () {
        yield createFile('a');
        await never;
      })(),
      'no-such-bucket-here',
    );
    expect(summary).toMatchObject({ failed: 1, ended: 'NoSuchBucket' });
  });

  it('that throws fails its file or the transfer with SourceUnreadable', async () => {
    const bucket = await createBucket();
    const files: SourceFile[] = [
      createFile('good'),
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
            throwBoom();
          })(),
      },
      { path: 'unopened', size: 1, open: throwBoom },
      { path: 'rejected', size: 1, open: async () => throwBoom() },
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
        yield createFile('first');
        throwBoom();
      })(),
      bucket,
    );
    await expect(broken).rejects.toMatchObject({ code: 'SourceUnreadable', summary: { files: 1 } });
  });

  it.each<[string, () => AsyncIterable<SourceFile> | Iterable<SourceFile>]>([
    ['at once', () => throwBoom()],
    [
      'after a file',
      function* () {
        yield createFile('a');
        throwBoom();
      },
    ],
    [
      'after a file, asynchronously',
      async function* () {
        yield createFile('a');
        throwBoom();
      },
    ],
  ])('that throws %s rejects sync and verify', async (_, tree) => {
    const place = { bucket: await createBucket(), prefix: '' };
    const bulk = createTransfer();
    const expectedError = { code: 'SourceUnreadable', message: 'boom', cause: expect.objectContaining({ message: 'boom' }) };
    await expect(bulk.syncUp(tree, place, { delete: true })).rejects.toMatchObject(expectedError);
    await expect(bulk.syncDown(place, new FolderTarget(createFolder()), tree)).rejects.toMatchObject(expectedError);
    await expect(bulk.verify(tree, place)).rejects.toMatchObject(expectedError);
  });
});
