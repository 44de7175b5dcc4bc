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
import { bytesOf } from '../s3-endpoint/body.js';
import type { ActiveRule, Fault, Rule } from '../../fault-proxy/fault-proxy.js';
import { ServiceOnProxy } from './store-on-proxy.js';

const MIB = 1024 * 1024;
let on: ServiceOnProxy;
beforeAll(async () => void (on = await ServiceOnProxy.start(2)));
afterAll(() => on.stop());

const rules: ActiveRule[] = [];
const strike = (rule: Rule) => void rules.push(on.proxy.on(rule));
afterEach(() => rules.splice(0).forEach((rule) => rule.remove()));

const BLOB = /^\/store\/[a-z0-9]{32}/;
const PART = 5 * MIB;
const s3 = () => on.service.client();
const failures = (kind: string) => on.metric(`svc_store_read_failures_total{kind="${kind}"}`);

/** A lie about the bytes of every object that is read. */
function lie(change: (body: Buffer) => Buffer, headers?: Record<string, string | null>): Rule {
  const body = (original: Buffer) => change(original);
  const fault: Fault = { response: { body, ...(headers && { headers }) } };
  return { method: 'GET', path: BLOB, fault };
}
const cut = (body: Buffer) => body.subarray(0, body.length - 7);
const grown = (body: Buffer) => Buffer.concat([body, Buffer.from('seven__')]);

describe('a store that sends another number of bytes than it holds', () => {
  it.each([
    ['short', cut],
    ['long', grown],
  ])('breaks the connection of a download off: %s, without a length', async (kind, change) => {
    const file = await on.put('lied.bin', randomBytes(MIB));
    const before = await failures(kind);
    strike(lie(change));
    await expect(fetch(file.url!).then((answer) => answer.arrayBuffer())).rejects.toThrow();
    const got = await s3().send(new GetObjectCommand({ Bucket: 'main', Key: 'lied.bin' }));
    await expect(bytesOf(got.Body)).rejects.toThrow();
    expect(await failures(kind)).toBe(before + 2);
    await on.ask('DELETE', `/v1/files/${file.id}`);
  });

  it('refuses a download whose announced length differs, before its first byte', async () => {
    const file = await on.put('announced.bin', randomBytes(1000));
    strike(lie(cut, { 'content-length': '993' }));
    const answered = await fetch(file.url!);
    expect([answered.status, answered.headers.get('cache-control')]).toEqual([500, null]);
    const ranged = await fetch(file.url!, { headers: { Range: 'bytes=100-199' } });
    expect(ranged.status).toBe(500);
    const get = new GetObjectCommand({ Bucket: 'main', Key: 'announced.bin', Range: 'bytes=5-9' });
    await expect(s3().send(get)).rejects.toMatchObject({ name: 'InternalError' });
  });

  it('refuses a range that is another one than it asked for', async () => {
    const bytes = randomBytes(1000);
    const file = await on.put('ranged.bin', bytes);
    strike({ method: 'GET', path: BLOB, fault: { response: { headers: { 'content-range': 'bytes 0-9/1000' } } } });
    expect((await fetch(file.url!, { headers: { Range: 'bytes=10-19' } })).status).toBe(500);
    rules.splice(0).forEach((rule) => rule.remove());
    // A store that knows no ranges sends the whole.
    strike({
      method: 'GET',
      path: BLOB,
      fault: { respond: { status: 200, headers: { 'content-length': '1000' }, body: bytes } },
    });
    expect((await fetch(file.url!, { headers: { Range: 'bytes=10-19' } })).status).toBe(500);
    expect(Buffer.from(await (await fetch(file.url!)).arrayBuffer()).equals(bytes)).toBe(true);
  });

  it('makes no copied part and no object of what came short', async () => {
    await on.put('source.bin', randomBytes(PART));
    const { UploadId } = await s3().send(new CreateMultipartUploadCommand({ Bucket: 'main', Key: 'made' }));
    const where = { Bucket: 'main', Key: 'made', UploadId };
    const { ETag } = await s3().send(new UploadPartCommand({ ...where, PartNumber: 1, Body: randomBytes(PART) }));
    strike(lie(cut));
    const copy = new UploadPartCopyCommand({ ...where, PartNumber: 2, CopySource: 'main/source.bin' });
    await expect(s3().send(copy)).rejects.toMatchObject({ name: 'InternalError' });
    const MultipartUpload = { Parts: [{ ETag, PartNumber: 1 }] };
    const complete = new CompleteMultipartUploadCommand({ ...where, MultipartUpload });
    await expect(s3().send(complete)).rejects.toMatchObject({ name: 'InternalError' });
    rules.splice(0).forEach((rule) => rule.remove());
    await s3().send(complete);
  });
});

describe('a store that claims to have stored', () => {
  const put = (size: number) => on.ask('PUT', '/v1/files/claimed.bin', { body: randomBytes(size) });
  const nothingStays = async (before: string[]) => {
    expect((await on.ask('GET', '/f/main/claimed.bin')).status).toBe(404);
    expect((await on.blobs()).toSorted()).toEqual(before.toSorted());
  };

  it('answers an upload with 200 that names no ETag, as a portal before it would', async () => {
    const before = await on.blobs();
    strike({ method: 'PUT', path: BLOB, fault: { respond: { status: 200, body: 'sign in first' } } });
    expect((await put(1000)).status).toBe(500);
    expect((await put(20 * MIB)).status).toBe(500);
    await nothingStays(before);
  });

  it('answers a completion with 200 and an error', async () => {
    const before = await on.blobs();
    const error = Buffer.from('<?xml version="1.0"?>\n<Error><Code>InternalError</Code><Message>no</Message></Error>');
    strike({ method: 'POST', path: /uploadId=/, fault: { respond: { status: 200, body: error } } });
    expect((await put(20 * MIB)).status).toBe(503);
    await nothingStays(before);
  });

  it.each([
    ['has no object then', { status: 404 }],
    ['has a shorter one', { status: 200, headers: { 'content-length': '5' } }],
  ])('answers a completion with 200 and %s', async (_what, answer) => {
    const before = await on.blobs();
    strike({ method: 'HEAD', path: BLOB, fault: { respond: answer } });
    expect((await put(20 * MIB)).status).toBe(500);
    await nothingStays(before);
  });

  it('names another ETag for a part than it stored', async () => {
    const before = await on.blobs();
    const headers = { etag: '"00000000000000000000000000000000"' };
    strike({ method: 'PUT', path: /partNumber=2/, fault: { response: { headers } } });
    expect((await put(20 * MIB)).status).toBe(500);
    await nothingStays(before);
  });

  it('names another ETag for an object, which says nothing: encrypted objects have such', async () => {
    strike({ method: 'PUT', path: BLOB, fault: { response: { headers: { etag: '"not-an-md5"' } } } });
    const bytes = randomBytes(1000);
    await s3().send(new PutObjectCommand({ Bucket: 'main', Key: 'encrypted', Body: bytes }));
    const got = await s3().send(new GetObjectCommand({ Bucket: 'main', Key: 'encrypted' }));
    expect((await bytesOf(got.Body)).equals(bytes)).toBe(true);
  });
});
