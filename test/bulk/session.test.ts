import { randomBytes } from 'node:crypto';
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

/** A chosen file, as a page has it. */
const chosen = (path: string, bytes: Uint8Array<ArrayBuffer>, lastModified = DAY): SourceFile =>
  sourceOf(new File([bytes], path, { lastModified }), path);

/** Knows at once what was begun and settled, as a page's journal does. */
class SessionJournal implements Journal {
  readonly resumable = true;
  readonly unfinished = new Map<string, Unfinished>();
  readonly #settled = new Set<string>();

  isCompleted = (print: string): boolean => this.#settled.has(print);
  complete = (print: string): void => void this.#settled.add(print);
  seen = (): boolean => false;
  begin = (file: Omit<Unfinished, 'parts'>): void => void this.unfinished.set(file.key, { ...file, parts: new Map() });
  setUploadId = (key: string, uploadId: string): void => void (this.unfinished.get(key)!.uploadId = uploadId);
  addPart = (key: string, part: JournalPart): void => void this.unfinished.get(key)?.parts.set(part.number, part);
  end = (key: string): void => void this.unfinished.delete(key);
  close = (): void => {};
}

describe('an upload session', () => {
  it('looks for what the journal calls done', async () => {
    const to = { bucket: await createBucket(), prefix: '' };
    const bulk = createTransfer();
    const session = bulk.uploadSession(to, { journal: new SessionJournal() });
    const file = chosen('a', randomBytes(1000));
    expect((await session.send(file)).etag).toBeDefined();
    expect((await session.send(file)).etag).toBeUndefined();
    await client.send(new DeleteObjectCommand({ Bucket: to.bucket, Key: 'a' }));
    expect((await session.send(file)).etag).toBeDefined();
    expect(await listObjects(bulk, to.bucket)).toHaveLength(1);
  });

  it('lets no second file replace the first of its name, but the first one changed', async () => {
    const to = { bucket: await createBucket(), prefix: '' };
    const bulk = createTransfer();
    const session = bulk.uploadSession(to);
    const first = chosen('a', randomBytes(1000));
    const second = chosen('a', randomBytes(2000));
    const [one, two] = await Promise.allSettled([session.send(first), session.send(second)]);
    expect(one.status).toBe('fulfilled');
    expect(two).toMatchObject({ status: 'rejected', reason: { code: 'NameUnsafe' } });
    await session.abandon(second);
    await expect(session.send(second)).rejects.toMatchObject({ code: 'NameUnsafe' });
    expect(await listObjects(bulk, to.bucket)).toMatchObject([{ size: 1000 }]);
    await session.send(first);
    await session.send(chosen('a', randomBytes(3000), Date.now() + 1000));
    expect(await listObjects(bulk, to.bucket)).toMatchObject([{ size: 3000 }]);
  });

  it('begins a file anew only when its being abandoned is over', async () => {
    const to = { bucket: await createBucket(), prefix: '' };
    await using proxy = await startFaultProxy(s3.endpoint);
    const bulk = createTransfer({ endpoint: proxy.url });
    const options = { journal: new SessionJournal(), partSize: PART, multipartThreshold: PART, retry: { tries: 1 } };
    const session = bulk.uploadSession(to, options);
    const file = chosen('big', randomBytes(12 * MiB));
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

  it('goes on with what it began itself, also by a journal on disk', async () => {
    const to = { bucket: await createBucket(), prefix: '' };
    await using proxy = await startFaultProxy(s3.endpoint);
    const journal = new DiskJournal(createFolder(), { keepSettled: false });
    const options = { journal, partSize: PART, multipartThreshold: PART, retry: { tries: 1 } };
    const session = createTransfer({ endpoint: proxy.url }).uploadSession(to, options);
    const [file, other] = [chosen('big', randomBytes(12 * MiB)), chosen('other', randomBytes(12 * MiB))];
    const refused = proxy.on({ method: 'PUT', path: /partNumber=3/, fault: { respond: { status: 500 } } });
    for (const one of [file, other]) await expect(session.send(one)).rejects.toMatchObject({ status: 500 });
    refused.remove();
    const passed = vi.fn();
    expect((await session.send(file, { onPassed: passed })).size).toBe(12 * MiB);
    expect(passed.mock.calls.flat()).toEqual([PART, PART]);
    await session.abandon(other);
    expect(await listUnfinishedUploads(to.bucket)).toEqual([]);
    journal.close(false);
  });

  it('keeps what is there, but takes what it sent unheard for its own', async () => {
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
      const file = chosen(path, randomBytes(size));
      const lost = proxy.on({ method, path: /\/(small|big\?uploadId=)/, fault: { dropResponse: true } });
      await expect(session.send(file)).rejects.toMatchObject({ code: 'ConnectionFailed' });
      lost.remove();
      expect((await session.send(file)).etag).toBeDefined();
      const other = bulk.uploadSession(to, { ifThere: 'keep' }).send(chosen(path, randomBytes(size)));
      await expect(other).rejects.toMatchObject({ code: 'PreconditionFailed' });
    }
    expect(await listUnfinishedUploads(to.bucket)).toEqual([]);
  });

  it('stops a file at once that waits for its turn, and no other', async () => {
    const to = { bucket: await createBucket(), prefix: '' };
    await using proxy = await startFaultProxy(s3.endpoint);
    let free = (): void => {};
    const held = new Promise<void>((resolve) => (free = resolve));
    const slow = proxy.on({ method: 'PUT', path: /first/, fault: { pace: () => held } });
    const session = createTransfer({ endpoint: proxy.url }).uploadSession(to, { concurrency: 1 });
    const file = (name: string, size = 1000) => chosen(name, randomBytes(size));
    const first = session.send(file('first', MiB));
    await vi.waitFor(() => expect(slow.hits).toBe(1), 10_000);
    const stop = new AbortController();
    const [waiting, other] = [session.send(file('waiting'), { signal: stop.signal }), session.send(file('other'))];
    await new Promise((resolve) => setTimeout(resolve, 0));
    stop.abort();
    // The one before it still has its place.
    await expect(waiting).rejects.toMatchObject({ code: 'Aborted' });
    free();
    await Promise.all([first, other]);
    expect((await listObjects(createTransfer(), to.bucket)).map(({ key }) => key)).toEqual(['first', 'other']);
  });

  it('goes on with a file once what its pause left is ended', async () => {
    const to = { bucket: await createBucket(), prefix: '' };
    await using proxy = await startFaultProxy(s3.endpoint);
    const silent = proxy.on({ method: 'POST', path: /\?uploads/, times: 1, fault: { stallResponseAt: 0 } });
    const session = createTransfer({ endpoint: proxy.url }).uploadSession(to, { partSize: PART, multipartThreshold: PART });
    const file = chosen('big', randomBytes(12 * MiB));
    const pause = new AbortController();
    const first = session.send(file, { signal: pause.signal });
    await vi.waitFor(() => expect(silent.hits).toBe(1), 10_000);
    await vi.waitFor(async () => expect(await listUnfinishedUploads(to.bucket)).toEqual(['big']), 10_000);
    pause.abort();
    const [paused, resumed] = await Promise.allSettled([first, session.send(file)]);
    expect(paused).toMatchObject({ status: 'rejected', reason: { code: 'Aborted' } });
    expect(resumed).toMatchObject({ status: 'fulfilled', value: { size: 12 * MiB } });
    expect(await listUnfinishedUploads(to.bucket)).toEqual([]);
  });

  it('ends what nobody came back for in a week', async () => {
    const to = { bucket: await createBucket(), prefix: 'in/' };
    const journal = new SessionJournal();
    for (const [key, days] of Object.entries({ 'in/old': 8, 'in/young': 6, 'elsewhere/old': 8 })) {
      const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket: to.bucket, Key: key }));
      journal.begin({ key, size: 1, version: '', partSize: 1, begunMs: Date.now() - days * 86_400_000 });
      journal.setUploadId(key, UploadId!);
    }
    // It was begun long ago, and gone on with since.
    journal.unfinished.get('in/young')!.begunMs -= 30 * 86_400_000;
    journal.unfinished.get('in/young')!.usedMs = Date.now() - 6 * 86_400_000;
    createTransfer().uploadSession(to, { journal });
    await vi.waitFor(() => expect([...journal.unfinished.keys()]).toEqual(['in/young', 'elsewhere/old']), 10_000);
    expect((await listUnfinishedUploads(to.bucket)).sort()).toEqual(['elsewhere/old', 'in/young']);
  });

  it('tells the element that a file may yet pass when only the retries are spent', async () => {
    const to = { bucket: await createBucket(), prefix: '' };
    await using proxy = await startFaultProxy(s3.endpoint);
    const transport = s3Transport(createTransfer({ endpoint: proxy.url }), to, { retry: { budget: 0 } });
    proxy.on({ method: 'PUT', fault: { respond: { status: 500 } } });
    const file = new File(['a'], 'a', { lastModified: DAY });
    const passage = { signal: new AbortController().signal, progress: () => {}, resumed: () => {} };
    const sending = transport.send({ id: '1', file, name: 'a', size: 1, relativePath: '' }, passage);
    await expect(sending).rejects.toMatchObject({ status: 500 });
  });
});
