import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request as send } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ActiveRule, Rule } from '../../fault-proxy/fault-proxy.js';
import { ServiceOnProxy } from './store-on-proxy.js';

const MIB = 1024 * 1024;
let on: ServiceOnProxy;
beforeAll(async () => void (on = await ServiceOnProxy.start(2)));
afterAll(() => on.stop());

const rules: ActiveRule[] = [];
const strike = (rule: Rule) => {
  const active = on.proxy.on(rule);
  rules.push(active);
  return active;
};
afterEach(async () => {
  rules.splice(0).forEach((rule) => rule.remove());
  // Resumable uploads stay, to be gone on with.
  const { core } = on.service.service;
  const storage = (await core.accounts.mainStorage('main'))!;
  const { uploads } = await core.blobs.listUploads(storage, { kind: 'tus', limit: 10 });
  for (const upload of uploads) await core.blobs.abortUpload(upload);
});

const xml = (code: string) => Buffer.from(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`);
const refusal = (status: number, code?: string) => ({ status, ...(code && { body: xml(code) }) });
const BLOB = /^\/store\/[a-z0-9]{32}/;
const usage = () => on.service.service.core.blobs.usage('main');

const tus = { 'Tus-Resumable': '1.0.0' };
const bytesType = { 'Content-Type': 'application/offset+octet-stream' };

/** Every way by which bytes come in over REST; each answers its status, its header `Retry-After` and its body. */
const ROUTES: Record<string, (body: Buffer) => Promise<Response>> = {
  'a PUT': (body) => on.ask('PUT', '/v1/files/put.bin?overwrite=true', { body: body as BodyInit }),
  'a POST': (body) =>
    on.ask('POST', '/v1/files?overwrite=true', {
      body: body as BodyInit,
      headers: { 'Content-Disposition': 'attachment; filename="post.bin"' },
    }),
  'a form': (body) => {
    const form = new FormData();
    form.append('overwrite', 'true');
    form.append('file', new Blob([body as BlobPart]), 'form.bin');
    return on.ask('POST', '/v1/files', { body: form });
  },
  'a resumable upload': async (body) => {
    const named = { 'Upload-Metadata': `filename ${btoa('tus.bin')},overwrite ${btoa('true')}` };
    const made = await on.ask('POST', '/v1/uploads', { headers: { ...tus, ...named, 'Upload-Length': `${body.length}` } });
    return on.ask('PATCH', made.headers.get('location')!, {
      body: body as BodyInit,
      headers: { ...tus, ...bytesType, 'Upload-Offset': '0' },
    });
  },
};

describe('a store that answers 503', () => {
  it.each([
    ['a PUT', refusal(503, 'SlowDown')],
    ['a POST', refusal(503)],
    ['a form', refusal(500, 'InternalError')],
    ['a resumable upload', refusal(429)],
  ])('answers %s with 503 and Retry-After', async (name, answer) => {
    const rule = strike({ method: 'PUT', path: BLOB, fault: { respond: answer } });
    const answered = await ROUTES[name]!(Buffer.alloc(1000));
    expect([answered.status, answered.headers.get('retry-after'), await answered.json()]).toEqual([
      503,
      '5',
      expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' }),
    ]);
    expect(rule.hits).toBe(4);
    rule.remove();
    expect([200, 201]).toContain((await ROUTES[name]!(Buffer.alloc(1000))).status);
  });

  it('answers S3 with ServiceUnavailable and Retry-After', async () => {
    const s3 = on.service.client();
    await s3.send(new PutObjectCommand({ Bucket: 'main', Key: 'there', Body: 'x' }));
    const refused = strike({ path: BLOB, fault: { respond: refusal(503, 'SlowDown') } });
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket: 'main', Key: 'parts' }));
    const part = { Bucket: 'main', Key: 'parts', UploadId, PartNumber: 1, Body: 'part' };
    for (const work of [
      () => s3.send(new PutObjectCommand({ Bucket: 'main', Key: 'put', Body: 'x' })),
      () => s3.send(new GetObjectCommand({ Bucket: 'main', Key: 'there' })),
      () => s3.send(new UploadPartCommand(part)),
    ])
      await expect(work()).rejects.toMatchObject({
        name: 'ServiceUnavailable',
        $metadata: { httpStatusCode: 503 },
        $response: { headers: { 'retry-after': '5' } },
      });
    refused.remove();
    const { ETag } = await s3.send(new UploadPartCommand(part));
    const complete = { Bucket: 'main', Key: 'parts', UploadId, MultipartUpload: { Parts: [{ ETag, PartNumber: 1 }] } };
    const unreadable = strike({ method: 'GET', path: BLOB, fault: { respond: refusal(503, 'SlowDown') } });
    await expect(s3.send(new CompleteMultipartUploadCommand(complete))).rejects.toMatchObject({ name: 'ServiceUnavailable' });
    unreadable.remove();
    await s3.send(new CompleteMultipartUploadCommand(complete));
  });

  it('is asked again, so that a short refusal costs no upload', async () => {
    strike({ method: 'PUT', path: BLOB, fault: { respond: refusal(503, 'SlowDown') }, times: 2 });
    expect((await ROUTES['a PUT']!(Buffer.alloc(10))).status).toBeLessThan(300);
  });

  it('is asked again when it calls the time of a request wrong, as after a jump of the clock', async () => {
    // The answer to another request has corrected the time since.
    strike({ method: 'PUT', path: BLOB, fault: { respond: refusal(403, 'RequestTimeTooSkewed') }, times: 1 });
    expect((await ROUTES['a PUT']!(Buffer.alloc(10))).status).toBeLessThan(300);
  });

  it('answers a download with 503 that no cache keeps', async () => {
    const file = await on.put('cached.txt', 'cached');
    strike({ method: 'GET', path: BLOB, fault: { respond: refusal(503, 'SlowDown') } });
    const answered = await fetch(file.url!);
    expect([answered.status, answered.headers.get('retry-after')]).toEqual([503, '5']);
    for (const name of ['cache-control', 'etag', 'content-disposition', 'repr-digest'])
      expect(answered.headers.get(name)).toBeNull();
  });
});

describe('a store that says nothing', () => {
  it.each(Object.keys(ROUTES))('answers %s with 503, and gives all back that the upload held', async (name) => {
    strike({ path: BLOB, fault: { stallRequestAt: 0 } });
    const answered = await ROUTES[name]!(Buffer.alloc(1000));
    expect([answered.status, answered.headers.get('retry-after')]).toEqual([503, '5']);
    // A resumable upload stays, to be gone on with.
    expect((await usage()).uploadsInProgress).toBe(name === 'a resumable upload' ? 1 : 0);
  });

  it('leaves the token’s use and the idempotency key to the next try', async () => {
    const { token, id } = await on.mint({ prefix: 'once' });
    const headers = { 'Idempotency-Key': randomUUID(), 'Content-Disposition': 'attachment; filename="a.bin"' };
    const upload = () => on.ask('POST', '/v1/files', { key: token, headers, body: 'bytes' });
    const stalled = strike({ path: BLOB, fault: { stallRequestAt: 0 } });
    expect((await upload()).status).toBe(503);
    stalled.remove();
    expect((await upload()).status).toBe(201);
    const record = (await (await on.ask('GET', `/v1/upload-tokens/${id}`)).json()) as { response: { uses: number } };
    expect(record.response.uses).toBe(1);
  });

  it('ends an upload whose client still sends, when a part before is lost', async () => {
    const stalled = strike({ method: 'PUT', path: /partNumber=1/, fault: { stallRequestAt: 0 } });
    const { restUrl, apiKey } = on.service;
    const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Length': `${100 * MIB}` };
    const request = send(`${restUrl}/v1/files/half.bin`, { method: 'PUT', headers });
    const answered = once(request, 'response') as Promise<[IncomingMessage]>;
    // A whole part and the beginning of the next, and then nothing.
    request.write(randomBytes(9 * MIB));
    const [answer] = await answered;
    expect([answer.statusCode, answer.headers['retry-after'], stalled.hits]).toEqual([503, '5', 1]);
    expect(await text(answer)).toContain('SERVICE_UNAVAILABLE');
    request.destroy();
    await expect.poll(async () => (await usage()).uploadsInProgress).toBe(0);
  });

  it('breaks a download off that it has begun, over REST and S3, and counts it', async () => {
    const file = await on.put('begun.bin', randomBytes(3 * MIB));
    const before = await on.metric('svc_store_read_failures_total{kind="unavailable"}');
    strike({ method: 'GET', path: BLOB, fault: { stallResponseAt: MIB } });
    await expect(fetch(file.url!).then((answer) => answer.arrayBuffer())).rejects.toThrow();
    const got = await on.service.client().send(new GetObjectCommand({ Bucket: 'main', Key: 'begun.bin' }));
    await expect(got.Body!.transformToByteArray()).rejects.toThrow();
    expect(await on.metric('svc_store_read_failures_total{kind="unavailable"}')).toBe(before + 2);
  });

  it('waits for a reader who is slower than its timeout', async () => {
    const bytes = randomBytes(4 * MIB);
    const file = await on.put('slow-reader.bin', bytes);
    const request = send(file.url!);
    request.end();
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    const seen = on.proxy.requests.at(-1)!;
    // Read nothing until the store has been idle for longer than its timeout.
    const idleSince = { at: Date.now(), bytes: -1 };
    await expect
      .poll(() => {
        if (seen.responseBytes !== idleSince.bytes) Object.assign(idleSince, { at: Date.now(), bytes: seen.responseBytes });
        return Date.now() - idleSince.at;
      })
      .toBeGreaterThan(3000);
    const read: Buffer[] = [];
    for await (const chunk of answer) read.push(chunk as Buffer);
    expect(Buffer.concat(read).equals(bytes)).toBe(true);
  });

  it('is cleaned once it answers again', async () => {
    const { core } = on.service.service;
    strike({ method: 'POST', path: /uploadId=/, fault: { stallRequestAt: 0 } });
    expect((await ROUTES['a PUT']!(randomBytes(20 * MIB))).status).toBe(503);
    rules.splice(0).forEach((rule) => rule.remove());
    // As a service that has just started, which knows nobody else at work.
    await core.blobs.sweep({ aloneSince: Date.now() + 1000 });
    const { bucketId, accountId } = await storeStorage();
    expect(await on.engine.service.core.blobs.listUploads({ bucketId, accountId }, { kind: 's3', limit: 10 })).toMatchObject({
      uploads: [],
    });
  });
});

async function storeStorage() {
  const { accountId, id: bucketId } = (await on.engine.service.core.blobs.findBucket('store'))!;
  return { accountId, bucketId };
}

describe('a store that is full', () => {
  const FULL = [refusal(507), refusal(403, 'QuotaExceeded'), refusal(507, 'XMinioStorageFull')];

  it.each(Object.keys(ROUTES))('answers %s with 507 at once', async (name) => {
    for (const answer of FULL) {
      const rule = strike({ method: 'PUT', path: BLOB, fault: { respond: answer } });
      const answered = await ROUTES[name]!(Buffer.alloc(1000));
      expect([answered.status, await answered.json()]).toEqual([507, expect.objectContaining({ code: 'STORAGE_FULL' })]);
      expect(rule.hits).toBe(1);
      rule.remove();
    }
  });

  it('answers S3 with InsufficientStorage, and a long upload when it fills up on the way', async () => {
    const s3 = on.service.client();
    strike({ method: 'PUT', path: /partNumber=2/, fault: { respond: FULL[1]! } });
    const Body = randomBytes(20 * MIB);
    await expect(s3.send(new PutObjectCommand({ Bucket: 'main', Key: 'long', Body }))).rejects.toMatchObject({
      name: 'InsufficientStorage',
      $metadata: { httpStatusCode: 507 },
    });
    const storage = await storeStorage();
    expect(await on.engine.service.core.blobs.listUploads(storage, { kind: 's3', limit: 10 })).toMatchObject({ uploads: [] });
  });

  it('stays ready, as it still gives out what it holds', async () => {
    const file = await on.put('held.txt', 'held');
    strike({ method: 'PUT', path: '/store/', fault: { respond: FULL[0]! } });
    await expect.poll(async () => (await on.ask('GET', '/readyz')).status).toBe(200);
    expect(await (await fetch(file.url!)).text()).toBe('held');
  });
});
