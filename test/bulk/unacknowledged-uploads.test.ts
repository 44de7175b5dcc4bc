import { CreateMultipartUploadCommand, UploadPartCommand } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toS3Error } from '../../src/bulk/errors.js';
import { createInterruptedTransfer, createFiles, PART_SIZE } from './interrupted-transfer.js';
import type { InterruptedTransfer } from './interrupted-transfer.js';
import { client, listUnfinishedUploads } from './s3-store.js';

const MiB = 1024 * 1024;
const patient = { retry: { tries: 5, baseDelay: 1 } };

describe('a multipart upload whose creation was not acknowledged', () => {
  let proxy: InterruptedTransfer['proxy'];
  let to: InterruptedTransfer['to'];
  let journal: InterruptedTransfer['journal'];
  let upload: InterruptedTransfer['upload'];
  let whileRule: InterruptedTransfer['whileRule'];
  beforeEach(async () => void ({ proxy, to, journal, upload, whileRule } = await createInterruptedTransfer()));
  afterEach(() => proxy.close());

  const creation = { method: 'POST', path: /\?uploads/ };

  it('is aborted by the transfer itself', async () => {
    const lost = { ...creation, times: 2, fault: { dropResponse: true } };
    expect(await whileRule(lost, () => upload(createFiles(12 * MiB), patient))).toMatchObject({ files: 1, failed: 0 });
    expect(await listUnfinishedUploads(to.bucket)).toEqual([]);
  });

  it.each(['its last try', 'an abort'])('is aborted by a transfer without a journal that ends with %s', async (end) => {
    const stop = new AbortController();
    const fault = end === 'its last try' ? { dropResponse: true } : { stallResponseAt: 0 };
    const uploading = whileRule({ ...creation, fault }, () =>
      upload(createFiles(12 * MiB), { journal: undefined, signal: stop.signal, retry: { tries: 2, baseDelay: 1 } }).catch(
        toS3Error,
      ),
    );
    if (end === 'an abort') {
      const isCreated = () =>
        proxy.requests.some(({ method, path, status }) => method === 'POST' && creation.path.test(path) && status === 200);
      await expect.poll(isCreated).toBe(true);
      expect(await listUnfinishedUploads(to.bucket)).toEqual(['f0']);
      stop.abort();
    }
    expect(await uploading).toMatchObject(end === 'its last try' ? { failed: 1 } : { code: 'Aborted' });
    expect(await listUnfinishedUploads(to.bucket)).toEqual([]);
  });

  it('is distinguished from uploads of others, which have parts or another creation time', async () => {
    const createOtherUpload = async (parts: number): Promise<void> => {
      const place = { Bucket: to.bucket, Key: 'f0' };
      const { UploadId } = await client.send(new CreateMultipartUploadCommand(place));
      for (let PartNumber = 1; PartNumber <= parts; PartNumber++)
        await client.send(new UploadPartCommand({ ...place, UploadId, PartNumber, Body: 'x' }));
    };
    const uploadWithRecord = async (begunMs: number): Promise<void> => {
      const before = journal();
      before.begin({ key: 'f0', size: 1, version: '', partSize: PART_SIZE, begunMs });
      before.close(true);
      expect(await upload(createFiles())).toMatchObject({ failures: [] });
    };
    await createOtherUpload(0);
    await uploadWithRecord(Date.now() - 3_600_000);
    expect(await listUnfinishedUploads(to.bucket)).toEqual(['f0']);
    await createOtherUpload(1);
    await uploadWithRecord(Date.now() - 60_000);
    expect(await listUnfinishedUploads(to.bucket)).toEqual(['f0']);
    const lost = { ...creation, times: 1, fault: { dropResponse: true } };
    expect(await whileRule(lost, () => upload(createFiles(12 * MiB), patient))).toMatchObject({ files: 1, failed: 0 });
    expect(await listUnfinishedUploads(to.bucket)).toEqual(['f0']);
  });

  it('is not searched for if the creation was refused, and the search may be forbidden', async () => {
    const [folder, empty] = [createFiles(12 * MiB), createFiles()];
    const list = proxy.on({ method: 'GET', path: /[?&]uploads/, fault: { respond: { status: 403 } } });
    expect(await whileRule({ ...creation, fault: { respond: { status: 400 } } }, () => upload(folder))).toMatchObject({
      failed: 1,
    });
    expect(await upload(empty)).toMatchObject({ failed: 0 });
    expect(list.hits).toBe(0);
    expect(await whileRule({ ...creation, fault: { dropResponse: true } }, () => upload(folder))).toMatchObject({ failed: 1 });
    expect(await upload(empty)).toMatchObject({ failures: [] });
    expect(list.hits).toBe(1);
    // Once listing is allowed, the next transfer finds and aborts it.
    list.remove();
    expect(await upload(empty)).toMatchObject({ failures: [] });
    expect(await listUnfinishedUploads(to.bucket)).toEqual([]);
  });

  it('is not searched for after a 429 response, and a failed search fails no file', async () => {
    const folder = createFiles(12 * MiB);
    await client.send(new CreateMultipartUploadCommand({ Bucket: to.bucket, Key: 'f0' }));
    const refused = { ...creation, times: 1, fault: { respond: { status: 429 } } };
    expect(await whileRule(refused, () => upload(folder, patient))).toMatchObject({ files: 1, failed: 0 });
    expect(await listUnfinishedUploads(to.bucket)).toEqual(['f0']);
    const list = proxy.on({ method: 'GET', path: /uploads/, fault: { respond: { status: 400 } } });
    const lost = { ...creation, times: 1, fault: { dropResponse: true } };
    expect(await whileRule(lost, () => upload(createFiles(12 * MiB), patient))).toMatchObject({ files: 1, failed: 0 });
    expect(list.hits).toBeGreaterThan(0);
  });

  it('or whose parts failed is aborted while the store still returns 503', async () => {
    proxy.on({ method: 'PUT', path: /partNumber=2/, fault: { respond: { status: 503 } } });
    const busy = { method: 'DELETE', times: 1, fault: { respond: { status: 503 } } };
    expect(await whileRule(busy, () => upload(createFiles(12 * MiB), { journal: undefined }))).toMatchObject({ failed: 1 });
    expect(await listUnfinishedUploads(to.bucket)).toEqual([]);
  });
});
