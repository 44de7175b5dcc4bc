import { CreateMultipartUploadCommand, UploadPartCommand } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toS3Error } from '../../src/bulk/errors.js';
import { createInterruptedTransfer, createFiles, PART_SIZE } from './interrupted-transfer.js';
import type { InterruptedTransfer } from './interrupted-transfer.js';
import { client, listUnfinishedUploads } from './s3-store.js';

const MiB = 1024 * 1024;
const patient = { retry: { tries: 5, baseDelay: 1 } };

describe('an upload in parts of whose beginning nobody heard', () => {
  let proxy: InterruptedTransfer['proxy'];
  let to: InterruptedTransfer['to'];
  let journal: InterruptedTransfer['journal'];
  let upload: InterruptedTransfer['upload'];
  let during: InterruptedTransfer['during'];
  beforeEach(async () => void ({ proxy, to, journal, upload, during } = await createInterruptedTransfer()));
  afterEach(() => proxy.close());

  const begin = { method: 'POST', path: /\?uploads/ };

  it('is ended by the run itself', async () => {
    const lost = { ...begin, times: 2, fault: { dropResponse: true } };
    expect(await during(lost, () => upload(createFiles(12 * MiB), patient))).toMatchObject({ files: 1, failed: 0 });
    expect(await listUnfinishedUploads(to.bucket)).toEqual([]);
  });

  it.each(['its last try', 'a stop'])('is ended by a run without a journal, which ends with %s', async (end) => {
    const stop = new AbortController();
    const withheld = end === 'its last try' ? { dropResponse: true } : { stallResponseAt: 0 };
    const uploading = during({ ...begin, fault: withheld }, () =>
      upload(createFiles(12 * MiB), { journal: undefined, signal: stop.signal, retry: { tries: 2, baseDelay: 1 } }).catch(
        toS3Error,
      ),
    );
    if (end === 'a stop') {
      const isBegun = () =>
        proxy.requests.some(({ method, path, status }) => method === 'POST' && begin.path.test(path) && status === 200);
      await expect.poll(isBegun, { timeout: 10_000 }).toBe(true);
      expect(await listUnfinishedUploads(to.bucket)).toEqual(['f0']);
      stop.abort();
    }
    expect(await uploading).toMatchObject(end === 'its last try' ? { failed: 1 } : { code: 'Aborted' });
    expect(await listUnfinishedUploads(to.bucket)).toEqual([]);
  });

  it('is told from those of others, which have parts or were begun at another time', async () => {
    const other = async (parts: number): Promise<void> => {
      const place = { Bucket: to.bucket, Key: 'f0' };
      const { UploadId } = await client.send(new CreateMultipartUploadCommand(place));
      for (let PartNumber = 1; PartNumber <= parts; PartNumber++)
        await client.send(new UploadPartCommand({ ...place, UploadId, PartNumber, Body: 'x' }));
    };
    const ended = async (begunMs: number): Promise<void> => {
      const before = journal();
      before.begin({ key: 'f0', size: 1, version: '', partSize: PART_SIZE, begunMs });
      before.close(true);
      expect(await upload(createFiles())).toMatchObject({ failures: [] });
    };
    await other(0);
    await ended(Date.now() - 3_600_000);
    expect(await listUnfinishedUploads(to.bucket)).toEqual(['f0']);
    await other(1);
    await ended(Date.now() - 60_000);
    expect(await listUnfinishedUploads(to.bucket)).toEqual(['f0']);
    const lost = { ...begin, times: 1, fault: { dropResponse: true } };
    expect(await during(lost, () => upload(createFiles(12 * MiB), patient))).toMatchObject({ files: 1, failed: 0 });
    expect(await listUnfinishedUploads(to.bucket)).toEqual(['f0']);
  });

  it('is not asked for where it was refused, and fails no run of a key that may not ask', async () => {
    const [folder, empty] = [createFiles(12 * MiB), createFiles()];
    const list = proxy.on({ method: 'GET', path: /[?&]uploads/, fault: { respond: { status: 403 } } });
    expect(await during({ ...begin, fault: { respond: { status: 400 } } }, () => upload(folder))).toMatchObject({ failed: 1 });
    expect(await upload(empty)).toMatchObject({ failed: 0 });
    expect(list.hits).toBe(0);
    expect(await during({ ...begin, fault: { dropResponse: true } }, () => upload(folder))).toMatchObject({ failed: 1 });
    expect(await upload(empty)).toMatchObject({ failures: [] });
    expect(list.hits).toBe(1);
    // A key that may ask finds it still.
    list.remove();
    expect(await upload(empty)).toMatchObject({ failures: [] });
    expect(await listUnfinishedUploads(to.bucket)).toEqual([]);
  });

  it('is not looked for where it was but refused at first, and need not be found', async () => {
    const folder = createFiles(12 * MiB);
    await client.send(new CreateMultipartUploadCommand({ Bucket: to.bucket, Key: 'f0' }));
    const refused = { ...begin, times: 1, fault: { respond: { status: 429 } } };
    expect(await during(refused, () => upload(folder, patient))).toMatchObject({ files: 1, failed: 0 });
    expect(await listUnfinishedUploads(to.bucket)).toEqual(['f0']);
    const list = proxy.on({ method: 'GET', path: /uploads/, fault: { respond: { status: 400 } } });
    const lost = { ...begin, times: 1, fault: { dropResponse: true } };
    expect(await during(lost, () => upload(createFiles(12 * MiB), patient))).toMatchObject({ files: 1, failed: 0 });
    expect(list.hits).toBeGreaterThan(0);
  });

  it('or whose parts are given up, is ended though the store is still asking for less', async () => {
    proxy.on({ method: 'PUT', path: /partNumber=2/, fault: { respond: { status: 503 } } });
    const busy = { method: 'DELETE', times: 1, fault: { respond: { status: 503 } } };
    expect(await during(busy, () => upload(createFiles(12 * MiB), { journal: undefined }))).toMatchObject({ failed: 1 });
    expect(await listUnfinishedUploads(to.bucket)).toEqual([]);
  });
});
