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

/** A choice of a file: each has the same name, size and date. */
const choose = (bytes: Uint8Array<ArrayBuffer>): File => new File([bytes], 'photo.jpg', { lastModified: DAY });

/** As a page's journal is after a reload. */
class PageJournal implements Journal {
  readonly resumable = true;
  readonly unfinished = new Map<string, Unfinished>();
  readonly #settled = new Map<string, string | undefined>();

  isCompleted = (print: string): boolean => this.#settled.has(print);
  completedEtag = (print: string): string | undefined => this.#settled.get(print);
  complete = (print: string, etag?: string): void => void this.#settled.set(print, etag);
  seen = (): boolean => false;
  begin = (file: Omit<Unfinished, 'parts'>): void => void this.unfinished.set(file.key, { ...file, parts: new Map() });
  setUploadId = (key: string, uploadId: string): void => void (this.unfinished.get(key)!.uploadId = uploadId);
  addPart = (key: string, part: JournalPart): void => void this.unfinished.get(key)?.parts.set(part.number, part);
  end = (key: string): void => void this.unfinished.delete(key);
  close = (): void => {};
}

async function stored(bucket: string): Promise<Buffer> {
  const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'photo.jpg' }));
  return Buffer.from(await Body!.transformToByteArray());
}

/** Changes bytes that no sample of 64 KiB at the beginning, the middle and the end contains. */
function alteredBesideSample(bytes: Buffer): Buffer<ArrayBuffer> {
  const other = Buffer.from(bytes);
  other.fill(0, MiB, MiB + 1000);
  return other;
}

describe('a file of the same name, size and date', () => {
  it.each([
    ['with other bytes', () => randomBytes(12 * MiB), 3],
    ['that differs beside the sample', alteredBesideSample, 2],
    ['with the same bytes', (bytes: Buffer) => Buffer.from(bytes), 1],
  ])('continues an upload only with equal parts: one %s', async (_, make, sent) => {
    const to = { bucket: await createBucket(), prefix: '' };
    await using proxy = await startFaultProxy(s3.endpoint);
    const bulk = createTransfer({ endpoint: proxy.url });
    const options = { journal: new PageJournal(), partSize: PART, multipartThreshold: PART, retry: { tries: 1 } };
    const bytes = randomBytes(12 * MiB);
    const refused = proxy.on({ method: 'PUT', path: /partNumber=3/, fault: { respond: { status: 500 } } });
    expect(await bulk.upload(fileSources([choose(bytes)]), to, options)).toMatchObject({ failed: 1 });
    refused.remove();
    const parts = proxy.on({ method: 'PUT', path: /partNumber=/, fault: { delay: 0 } });
    const other = make(bytes);
    expect(await bulk.upload(fileSources([choose(other)]), to, options)).toMatchObject({ files: 1, failed: 0 });
    expect((await stored(to.bucket)).equals(other)).toBe(true);
    expect(parts.hits).toBe(sent);
  });

  it('does not count as done because the first one is', async () => {
    const to = { bucket: await createBucket(), prefix: '' };
    const bulk = createTransfer();
    const options = { journal: new PageJournal() };
    const [first, second] = [randomBytes(300_000), randomBytes(300_000)];
    expect(await bulk.upload(fileSources([choose(first)]), to, options)).toMatchObject({ files: 1 });
    expect(await bulk.upload(fileSources([choose(first)]), to, options)).toMatchObject({ files: 0, skipped: 1 });
    expect(await bulk.upload(fileSources([choose(second)]), to, options)).toMatchObject({ files: 1, skipped: 0 });
    expect((await stored(to.bucket)).equals(second)).toBe(true);
    expect(await bulk.uploadSession(to, options).send([...fileSources([choose(first)])][0]!)).toMatchObject({
      etag: expect.any(String),
    });
    expect((await stored(to.bucket)).equals(first)).toBe(true);
  });

  it.each<[string, S3TransportOptions]>([
    ['journal', { journal: new PageJournal() }],
    ['skip-same', { ifThere: 'skip-same' }],
  ])('replaces the original if the element made it from that (%s)', async (_, options) => {
    const to = { bucket: await createBucket(), prefix: '' };
    const send = (bytes: Uint8Array<ArrayBuffer>, isPrepared: boolean) => {
      const passage = { signal: new AbortController().signal, progress: () => {}, resumed: () => {} };
      const [file, name, size] = [choose(bytes), 'photo.jpg', bytes.length];
      return s3Transport(createTransfer(), to, options).send(
        { id: '1', file, name, size, relativePath: '', isPrepared },
        passage,
      );
    };
    const original = randomBytes(300_000);
    await send(original, false);
    // The place lies where no sample looks.
    const stripped = Buffer.from(original).fill(0, 70_000, 70_100);
    await send(stripped, true);
    expect((await stored(to.bucket)).equals(stripped)).toBe(true);
  });
});
