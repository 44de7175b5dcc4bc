import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bytesOf } from '../s3-endpoint/bytes-of.js';
import type { Fault, Rule } from '../../fault-proxy/fault-proxy.js';
import { ServiceOnProxy } from './store-on-proxy.js';

const MIB = 1024 * 1024;
let setup: ServiceOnProxy;
beforeAll(async () => void (setup = await ServiceOnProxy.start(2)));
afterAll(() => setup.stop());

const addFault = (rule: Rule) => setup.addFault(rule);
afterEach(() => setup.removeFaults());

const BLOB = /^\/store\/[a-z0-9]{32}/;
const PART = 5 * MIB;
const s3 = () => setup.service.client();
const failures = (kind: string) => setup.metric(`svc_store_read_failures_total{kind="${kind}"}`);

/** Builds a rule that changes the bytes of every object that is read. */
function changeReads(change: (body: Buffer) => Buffer, headers?: Record<string, string | null>): Rule {
  const fault: Fault = { response: { body: change, ...(headers && { headers }) } };
  return { method: 'GET', path: BLOB, fault };
}
const cut = (body: Buffer) => body.subarray(0, body.length - 7);
const grown = (body: Buffer) => Buffer.concat([body, Buffer.from('seven__')]);

describe('a store that sends too few or too many bytes', () => {
  it.each([
    ['short', cut],
    ['long', grown],
  ])('ends the connection of a download if it is too %s and has no announced length', async (kind, change) => {
    const file = await setup.put('lied.bin', randomBytes(MIB));
    const before = await failures(kind);
    addFault(changeReads(change));
    await expect(fetch(file.url!).then((response) => response.arrayBuffer())).rejects.toThrow();
    const received = await s3().send(new GetObjectCommand({ Bucket: 'main', Key: 'lied.bin' }));
    await expect(bytesOf(received.Body)).rejects.toThrow();
    expect(await failures(kind)).toBe(before + 2);
    await setup.request('DELETE', `/v1/files/${file.id}`);
  });

  it('makes a download fail before its first byte if the announced length differs', async () => {
    const file = await setup.put('announced.bin', randomBytes(1000));
    addFault(changeReads(cut, { 'content-length': '993' }));
    const response = await fetch(file.url!);
    expect([response.status, response.headers.get('cache-control')]).toEqual([500, null]);
    const ranged = await fetch(file.url!, { headers: { Range: 'bytes=100-199' } });
    expect(ranged.status).toBe(500);
    const get = new GetObjectCommand({ Bucket: 'main', Key: 'announced.bin', Range: 'bytes=5-9' });
    await expect(s3().send(get)).rejects.toMatchObject({ name: 'InternalError' });
  });

  it('makes a download fail if the range is not the requested one', async () => {
    const bytes = randomBytes(1000);
    const file = await setup.put('ranged.bin', bytes);
    addFault({ method: 'GET', path: BLOB, fault: { response: { headers: { 'content-range': 'bytes 0-9/1000' } } } });
    expect((await fetch(file.url!, { headers: { Range: 'bytes=10-19' } })).status).toBe(500);
    setup.removeFaults();
    // A store without support for ranges sends the whole object.
    addFault({
      method: 'GET',
      path: BLOB,
      fault: { respond: { status: 200, headers: { 'content-length': '1000' }, body: bytes } },
    });
    expect((await fetch(file.url!, { headers: { Range: 'bytes=10-19' } })).status).toBe(500);
    expect(Buffer.from(await (await fetch(file.url!)).arrayBuffer()).equals(bytes)).toBe(true);
  });

  it('makes copies and completions fail instead of storing incomplete objects', async () => {
    await setup.put('source.bin', randomBytes(PART));
    const { UploadId } = await s3().send(new CreateMultipartUploadCommand({ Bucket: 'main', Key: 'made' }));
    const where = { Bucket: 'main', Key: 'made', UploadId };
    const { ETag } = await s3().send(new UploadPartCommand({ ...where, PartNumber: 1, Body: randomBytes(PART) }));
    addFault(changeReads(cut));
    const copy = new UploadPartCopyCommand({ ...where, PartNumber: 2, CopySource: 'main/source.bin' });
    await expect(s3().send(copy)).rejects.toMatchObject({ name: 'InternalError' });
    const MultipartUpload = { Parts: [{ ETag, PartNumber: 1 }] };
    const complete = new CompleteMultipartUploadCommand({ ...where, MultipartUpload });
    await expect(s3().send(complete)).rejects.toMatchObject({ name: 'InternalError' });
    setup.removeFaults();
    await s3().send(complete);
  });
});

describe('a store that falsely reports success', () => {
  const put = (size: number) => setup.request('PUT', '/v1/files/claimed.bin', { body: randomBytes(size) });
  const expectNothingStored = async (before: string[]) => {
    expect((await setup.request('GET', '/f/main/claimed.bin')).status).toBe(404);
    expect((await setup.blobs()).toSorted()).toEqual(before.toSorted());
  };

  it('makes an upload fail if the response has no ETag, as from a captive portal', async () => {
    const before = await setup.blobs();
    addFault({ method: 'PUT', path: BLOB, fault: { respond: { status: 200, body: 'sign in first' } } });
    expect((await put(1000)).status).toBe(500);
    expect((await put(20 * MIB)).status).toBe(500);
    await expectNothingStored(before);
  });

  it('makes an upload fail if the body of the completion contains an error', async () => {
    const before = await setup.blobs();
    const error = Buffer.from('<?xml version="1.0"?>\n<Error><Code>InternalError</Code><Message>no</Message></Error>');
    addFault({ method: 'POST', path: /uploadId=/, fault: { respond: { status: 200, body: error } } });
    expect((await put(20 * MIB)).status).toBe(503);
    await expectNothingStored(before);
  });

  it.each([
    ['is missing', { status: 404 }],
    ['is too short', { status: 200, headers: { 'content-length': '5' } }],
  ])('makes an upload fail if the completed object %s', async (_what, storeResponse) => {
    const before = await setup.blobs();
    addFault({ method: 'HEAD', path: BLOB, fault: { respond: storeResponse } });
    expect((await put(20 * MIB)).status).toBe(500);
    await expectNothingStored(before);
  });

  it('makes an upload fail if it returns a wrong ETag for a part', async () => {
    const before = await setup.blobs();
    const headers = { etag: '"00000000000000000000000000000000"' };
    addFault({ method: 'PUT', path: /partNumber=2/, fault: { response: { headers } } });
    expect((await put(20 * MIB)).status).toBe(500);
    await expectNothingStored(before);
  });

  it('may return an ETag that is not the MD5 of the object, as for encrypted objects', async () => {
    addFault({ method: 'PUT', path: BLOB, fault: { response: { headers: { etag: '"not-an-md5"' } } } });
    const bytes = randomBytes(1000);
    await s3().send(new PutObjectCommand({ Bucket: 'main', Key: 'encrypted', Body: bytes }));
    const received = await s3().send(new GetObjectCommand({ Bucket: 'main', Key: 'encrypted' }));
    expect((await bytesOf(received.Body)).equals(bytes)).toBe(true);
  });
});
