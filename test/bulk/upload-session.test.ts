import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { CreateMultipartUploadCommand, DeleteObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, it, vi } from 'vitest';
import { sourceOf } from '../../src/bulk/upload/file-sources.js';
import { DiskJournal } from '../../src/bulk/node/index.js';
import type { Journal, JournalPart, Unfinished } from '../../src/bulk/journal/resume-journal.js';
import { s3Transport } from '../../src/bulk/upload/element-transport.js';
import type { SourceFile } from '../../src/bulk/types.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import { client, listUnfinishedUploads, listObjects, createBucket, createTransfer, createFolder, s3 } from './s3-store.js';

const MiB = 1024 * 1024;
const PART = 5 * MiB;
const DAY = Date.UTC(2026, 0, 1);

/** Creates the source of a file that a person chose in a page. */
const createSource = (path: string, bytes: Uint8Array<ArrayBuffer>, lastModified = DAY): SourceFile =>
  sourceOf(new File([bytes], path, { lastModified }), path);

/** Keeps its records in memory, as the journal of a page does. */
class SessionJournal implements Journal {
  readonly resumable = true;
  readonly unfinished = new Map<string, Unfinished>();
  readonly #completed = new Set<string>();

  isCompleted = (print: string): boolean => this.#completed.has(print);
  complete = (print: string): void => void this.#completed.add(print);
  seen = (): boolean => false;
  begin = (file: Omit<Unfinished, 'parts'>): void => void this.unfinished.set(file.key, { ...file, parts: new Map() });
  setUploadId = (key: string, uploadId: string): void => void (this.unfinished.get(key)!.uploadId = uploadId);
  addPart = (key: string, part: JournalPart): void => void this.unfinished.get(key)?.parts.set(part.number, part);
  end = (key: string): void => void this.unfinished.delete(key);
  close = (): void => {};
}

describe('an upload session', () => {
  it('checks that the object of a completed file still exists', async () => {
    const to = { bucket: await createBucket(), prefix: '' };
    const bulk = createTransfer();
    const session = bulk.uploadSession(to, { journal: new SessionJournal() });
    const file = createSource('a', randomBytes(1000));
    expect((await session.send(file)).etag).toBeDefined();
    expect((await session.send(file)).etag).toBeUndefined();
    await client.send(new DeleteObjectCommand({ Bucket: to.bucket, Key: 'a' }));
    expect((await session.send(file)).etag).toBeDefined();
    expect(await listObjects(bulk, to.bucket)).toHaveLength(1);
  });

  it('refuses a second file with the same name, but accepts a new version of the first', async () => {
    const to = { bucket: await createBucket(), prefix: '' };
    const bulk = createTransfer();
    const session = bulk.uploadSession(to);
    const first = createSource('a', randomBytes(1000));
    const second = createSource('a', randomBytes(2000));
    const [firstResult, secondResult] = await Promise.allSettled([session.send(first), session.send(second)]);
    expect(firstResult.status).toBe('fulfilled');
    expect(secondResult).toMatchObject({ status: 'rejected', reason: { code: 'NameUnsafe' } });
    await session.abandon(second);
    await expect(session.send(second)).rejects.toMatchObject({ code: 'NameUnsafe' });
    expect(await listObjects(bulk, to.bucket)).toMatchObject([{ size: 1000 }]);
    await session.send(first);
    await session.send(createSource('a', randomBytes(3000), Date.now() + 1000));
    expect(await listObjects(bulk, to.bucket)).toMatchObject([{ size: 3000 }]);
  });

  it('starts a file again after its abort has finished', async () => {
    const to = { bucket: await createBucket(), prefix: '' };
    await using proxy = await startFaultProxy(s3.endpoint);
    const bulk = createTransfer({ endpoint: proxy.url });
    const options = { journal: new SessionJournal(), partSize: PART, multipartThreshold: PART, retry: { tries: 1 } };
    const session = bulk.uploadSession(to, options);
    const file = createSource('big', randomBytes(12 * MiB));
    const refused = proxy.on({ method: 'PUT', path: /partNumber=3/, fault: { respond: { status: 500 } } });
    await expect(session.send(file)).rejects.toMatchObject({ status: 500 });
    refused.remove();
    proxy.on({ method: 'DELETE', fault: { delay: 50 } });
    proxy.on({ method: 'PUT', path: /partNumber=3/, fault: { delay: 500 } });
    const [, sent] = await Promise.all([session.abandon(file), session.send(file)]);
    expect(sent.size).toBe(12 * MiB);
    expect(await listUnfinishedUploads(to.bucket)).toEqual([]);
    expect(await listObjects(bulk, to.bucket)).toHaveLength(1);
  });

  it('resumes its own uploads, also with a journal on disk', async () => {
    const to = { bucket: await createBucket(), prefix: '' };
    await using proxy = await startFaultProxy(s3.endpoint);
    const journal = new DiskJournal(createFolder(), { keepSettled: false });
    const options = { journal, partSize: PART, multipartThreshold: PART, retry: { tries: 1 } };
    const session = createTransfer({ endpoint: proxy.url }).uploadSession(to, options);
    const [file, other] = [createSource('big', randomBytes(12 * MiB)), createSource('other', randomBytes(12 * MiB))];
    const refused = proxy.on({ method: 'PUT', path: /partNumber=3/, fault: { respond: { status: 500 } } });
    for (const source of [file, other]) await expect(session.send(source)).rejects.toMatchObject({ status: 500 });
    refused.remove();
    const onPassed = vi.fn();
    expect((await session.send(file, { onPassed })).size).toBe(12 * MiB);
    expect(onPassed.mock.calls.flat()).toEqual([PART, PART]);
    await session.abandon(other);
    expect(await listUnfinishedUploads(to.bucket)).toEqual([]);
    journal.close(false);
  });

  it('keeps existing objects, but recognizes its own after a lost response', async () => {
    const to = { bucket: await createBucket(), prefix: '' };
    await using proxy = await startFaultProxy(s3.endpoint);
    const bulk = createTransfer({ endpoint: proxy.url });
    const session = bulk.uploadSession(to, {
      ifThere: 'keep',
      journal: new SessionJournal(),
      partSize: PART,
      multipartThreshold: PART,
      retry: { tries: 1 },
    });
    for (const [path, size, method] of [
      ['small', 1000, 'PUT'],
      ['big', 12 * MiB, 'POST'],
    ] as const) {
      const file = createSource(path, randomBytes(size));
      const lost = proxy.on({ method, path: /\/(small|big\?uploadId=)/, fault: { dropResponse: true } });
      await expect(session.send(file)).rejects.toMatchObject({ code: 'ConnectionFailed' });
      lost.remove();
      expect((await session.send(file)).etag).toBeDefined();
      const other = bulk.uploadSession(to, { ifThere: 'keep' }).send(createSource(path, randomBytes(size)));
      await expect(other).rejects.toMatchObject({ code: 'PreconditionFailed' });
    }
    expect(await listUnfinishedUploads(to.bucket)).toEqual([]);
  });

  it('aborts a waiting file at once, and no other', async () => {
    const to = { bucket: await createBucket(), prefix: '' };
    await using proxy = await startFaultProxy(s3.endpoint);
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const slow = proxy.on({ method: 'PUT', path: /first/, fault: { beforeChunk: () => held } });
    const session = createTransfer({ endpoint: proxy.url }).uploadSession(to, { concurrency: 1 });
    const file = (name: string, size = 1000) => createSource(name, randomBytes(size));
    const first = session.send(file('first', MiB));
    await vi.waitFor(() => expect(slow.hits).toBe(1), 30_000);
    const stop = new AbortController();
    const [waiting, other] = [session.send(file('waiting'), { signal: stop.signal }), session.send(file('other'))];
    await setImmediate(); // Both files are in the queue now.
    stop.abort();
    // The first file is still running.
    await expect(waiting).rejects.toMatchObject({ code: 'Aborted' });
    release();
    await Promise.all([first, other]);
    expect((await listObjects(createTransfer(), to.bucket)).map(({ key }) => key)).toEqual(['first', 'other']);
  });

  it('resumes a paused file after its unfinished upload was aborted', async () => {
    const to = { bucket: await createBucket(), prefix: '' };
    await using proxy = await startFaultProxy(s3.endpoint);
    const silent = proxy.on({ method: 'POST', path: /\?uploads/, times: 1, fault: { stallResponseAt: 0 } });
    const session = createTransfer({ endpoint: proxy.url }).uploadSession(to, { partSize: PART, multipartThreshold: PART });
    const file = createSource('big', randomBytes(12 * MiB));
    const pause = new AbortController();
    const first = session.send(file, { signal: pause.signal });
    await vi.waitFor(() => expect(silent.hits).toBe(1), 30_000);
    await vi.waitFor(async () => expect(await listUnfinishedUploads(to.bucket)).toEqual(['big']), 30_000);
    pause.abort();
    const [paused, resumed] = await Promise.allSettled([first, session.send(file)]);
    expect(paused).toMatchObject({ status: 'rejected', reason: { code: 'Aborted' } });
    expect(resumed).toMatchObject({ status: 'fulfilled', value: { size: 12 * MiB } });
    expect(await listUnfinishedUploads(to.bucket)).toEqual([]);
  });

  it('aborts uploads that were not resumed for a week', async () => {
    const to = { bucket: await createBucket(), prefix: 'in/' };
    const journal = new SessionJournal();
    for (const [key, days] of Object.entries({ 'in/old': 8, 'in/young': 6, 'elsewhere/old': 8 })) {
      const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket: to.bucket, Key: key }));
      journal.begin({ key, size: 1, version: '', partSize: 1, begunMs: Date.now() - days * 86_400_000 });
      journal.setUploadId(key, UploadId!);
    }
    // This upload is old, but was resumed six days ago.
    journal.unfinished.get('in/young')!.begunMs -= 30 * 86_400_000;
    journal.unfinished.get('in/young')!.usedMs = Date.now() - 6 * 86_400_000;
    createTransfer().uploadSession(to, { journal });
    await vi.waitFor(() => expect([...journal.unfinished.keys()]).toEqual(['in/young', 'elsewhere/old']), 30_000);
    expect((await listUnfinishedUploads(to.bucket)).sort()).toEqual(['elsewhere/old', 'in/young']);
  });

  it('reports a retryable error to the element if the retry budget is spent', async () => {
    const to = { bucket: await createBucket(), prefix: '' };
    await using proxy = await startFaultProxy(s3.endpoint);
    const transport = s3Transport(createTransfer({ endpoint: proxy.url }), to, { retry: { budget: 0 } });
    proxy.on({ method: 'PUT', fault: { respond: { status: 500 } } });
    const file = new File(['a'], 'a', { lastModified: DAY });
    const context = { signal: new AbortController().signal, progress: () => {}, resumed: () => {} };
    const sending = transport.send({ id: '1', file, name: 'a', size: 1, relativePath: '' }, context);
    await expect(sending).rejects.toMatchObject({ status: 500 });
  });
});
