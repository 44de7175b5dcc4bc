import { randomBytes } from 'node:crypto';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { fileSources } from '../../src/bulk/upload/file-sources.js';
import type { Journal, JournalPart, Unfinished } from '../../src/bulk/journal/resume-journal.js';
import { s3Transport } from '../../src/bulk/upload/element-transport.js';
import type { S3TransportOptions } from '../../src/bulk/upload/element-transport.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import { client, createBucket, createTransfer, s3 } from './s3-store.js';

const MiB = 1024 * 1024;
const PART = 5 * MiB;
const DAY = Date.UTC(2026, 0, 1);

/** Creates a file of a page. All have the same name and date. */
const createFile = (bytes: Uint8Array<ArrayBuffer>): File => new File([bytes], 'photo.jpg', { lastModified: DAY });

/** Behaves like the journal of a page after a reload. */
class PageJournal implements Journal {
  readonly resumable = true;
  readonly unfinished = new Map<string, Unfinished>();
  readonly #completed = new Map<string, string | undefined>();

  isCompleted = (print: string): boolean => this.#completed.has(print);
  completedEtag = (print: string): string | undefined => this.#completed.get(print);
  complete = (print: string, etag?: string): void => void this.#completed.set(print, etag);
  seen = (): boolean => false;
  begin = (file: Omit<Unfinished, 'parts'>): void => void this.unfinished.set(file.key, { ...file, parts: new Map() });
  setUploadId = (key: string, uploadId: string): void => void (this.unfinished.get(key)!.uploadId = uploadId);
  addPart = (key: string, part: JournalPart): void => void this.unfinished.get(key)?.parts.set(part.number, part);
  end = (key: string): void => void this.unfinished.delete(key);
  close = (): void => {};
}

async function readObject(bucket: string): Promise<Buffer> {
  const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'photo.jpg' }));
  return Buffer.from(await Body!.transformToByteArray());
}

/** Changes bytes outside the samples of 64 KiB at the beginning, the middle and the end. */
function changeOutsideSamples(bytes: Buffer): Buffer<ArrayBuffer> {
  const other = Buffer.from(bytes);
  other.fill(0, MiB, MiB + 1000);
  return other;
}

describe('a file of the same name, size and date', () => {
  it.each([
    ['with other bytes', () => randomBytes(12 * MiB), 3],
    ['that differs outside the samples', changeOutsideSamples, 2],
    ['with the same bytes', (bytes: Buffer) => Buffer.from(bytes), 1],
  ])('%s resumes an upload only with equal parts', async (_, change, sentParts) => {
    const to = { bucket: await createBucket(), prefix: '' };
    await using proxy = await startFaultProxy(s3.endpoint);
    const bulk = createTransfer({ endpoint: proxy.url });
    const options = { journal: new PageJournal(), partSize: PART, multipartThreshold: PART, retry: { tries: 1 } };
    const bytes = randomBytes(12 * MiB);
    const refused = proxy.on({ method: 'PUT', path: /partNumber=3/, fault: { respond: { status: 500 } } });
    expect(await bulk.upload(fileSources([createFile(bytes)]), to, options)).toMatchObject({ failed: 1 });
    refused.remove();
    const parts = proxy.on({ method: 'PUT', path: /partNumber=/, fault: { delay: 0 } });
    const other = change(bytes);
    expect(await bulk.upload(fileSources([createFile(other)]), to, options)).toMatchObject({ files: 1, failed: 0 });
    expect((await readObject(to.bucket)).equals(other)).toBe(true);
    expect(parts.hits).toBe(sentParts);
  });

  it('is uploaded although the journal lists the first file as done', async () => {
    const to = { bucket: await createBucket(), prefix: '' };
    const bulk = createTransfer();
    const options = { journal: new PageJournal() };
    const [first, second] = [randomBytes(300_000), randomBytes(300_000)];
    expect(await bulk.upload(fileSources([createFile(first)]), to, options)).toMatchObject({ files: 1 });
    expect(await bulk.upload(fileSources([createFile(first)]), to, options)).toMatchObject({ files: 0, skipped: 1 });
    expect(await bulk.upload(fileSources([createFile(second)]), to, options)).toMatchObject({ files: 1, skipped: 0 });
    expect((await readObject(to.bucket)).equals(second)).toBe(true);
    expect(await bulk.uploadSession(to, options).send([...fileSources([createFile(first)])][0]!)).toMatchObject({
      etag: expect.any(String),
    });
    expect((await readObject(to.bucket)).equals(first)).toBe(true);
  });

  it.each<[string, S3TransportOptions]>([
    ['journal', { journal: new PageJournal() }],
    ['skip-same', { ifThere: 'skip-same' }],
  ])('replaces the original if the element created it from the original (%s)', async (_, options) => {
    const to = { bucket: await createBucket(), prefix: '' };
    const send = (bytes: Uint8Array<ArrayBuffer>, isPrepared: boolean) => {
      const context = { signal: new AbortController().signal, progress: () => {}, resumed: () => {} };
      const [file, name, size] = [createFile(bytes), 'photo.jpg', bytes.length];
      return s3Transport(createTransfer(), to, options).send(
        { id: '1', file, name, size, relativePath: '', isPrepared },
        context,
      );
    };
    const original = randomBytes(300_000);
    await send(original, false);
    // The change is outside the samples.
    const stripped = Buffer.from(original).fill(0, 70_000, 70_100);
    await send(stripped, true);
    expect((await readObject(to.bucket)).equals(stripped)).toBe(true);
  });
});
