// Starts early: waits for a store that does not respond to time out.
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
import type { Rule } from '../../fault-proxy/fault-proxy.js';
import { ServiceOnProxy } from './store-on-proxy.js';

const MIB = 1024 * 1024;
let setup: ServiceOnProxy;
beforeAll(async () => void (setup = await ServiceOnProxy.start(2)));
afterAll(() => setup.stop());

const addFault = (rule: Rule) => setup.addFault(rule);
afterEach(async () => {
  setup.removeFaults();
  // Failed resumable uploads remain, because clients may continue them.
  const { core } = setup.service.service;
  const storage = (await core.accounts.mainStorage('main'))!;
  const { uploads } = await core.blobs.listUploads(storage, { kind: 'tus', limit: 10 });
  for (const upload of uploads) await core.blobs.abortUpload(upload);
});

const xml = (code: string) => Buffer.from(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`);
const refusal = (status: number, code?: string) => ({ status, ...(code && { body: xml(code) }) });
const BLOB = /^\/store\/[a-z0-9]{32}/;
const usage = () => setup.service.service.core.blobs.usage('main');

const tus = { 'Tus-Resumable': '1.0.0' };
const bytesType = { 'Content-Type': 'application/offset+octet-stream' };

/** Every kind of REST upload. */
const ROUTES: Record<string, (body: Buffer) => Promise<Response>> = {
  'a PUT': (body) => setup.request('PUT', '/v1/files/put.bin?overwrite=true', { body: body as BodyInit }),
  'a POST': (body) =>
    setup.request('POST', '/v1/files?overwrite=true', {
      body: body as BodyInit,
      headers: { 'Content-Disposition': 'attachment; filename="post.bin"' },
    }),
  'a form': (body) => {
    const form = new FormData();
    form.append('overwrite', 'true');
    form.append('file', new Blob([body as BlobPart]), 'form.bin');
    return setup.request('POST', '/v1/files', { body: form });
  },
  'a resumable upload': async (body) => {
    const named = { 'Upload-Metadata': `filename ${btoa('tus.bin')},overwrite ${btoa('true')}` };
    const created = await setup.request('POST', '/v1/uploads', {
      headers: { ...tus, ...named, 'Upload-Length': `${body.length}` },
    });
    return setup.request('PATCH', created.headers.get('location')!, {
      body: body as BodyInit,
      headers: { ...tus, ...bytesType, 'Upload-Offset': '0' },
    });
  },
};

describe('a store that responds with 503', () => {
  it.each([
    ['a PUT', refusal(503, 'SlowDown')],
    ['a POST', refusal(503)],
    ['a form', refusal(500, 'InternalError')],
    ['a resumable upload', refusal(429)],
  ])('makes the service reject %s with 503 and Retry-After', async (name, storeResponse) => {
    const rule = addFault({ method: 'PUT', path: BLOB, fault: { respond: storeResponse } });
    const response = await ROUTES[name]!(Buffer.alloc(1000));
    expect([response.status, response.headers.get('retry-after'), await response.json()]).toEqual([
      503,
      '5',
      expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' }),
    ]);
    expect(rule.hits).toBe(4);
    rule.remove();
    expect([200, 201]).toContain((await ROUTES[name]!(Buffer.alloc(1000))).status);
  });

  it('makes the S3 endpoint return ServiceUnavailable and Retry-After', async () => {
    const s3 = setup.service.client();
    await s3.send(new PutObjectCommand({ Bucket: 'main', Key: 'there', Body: 'x' }));
    const refused = addFault({ path: BLOB, fault: { respond: refusal(503, 'SlowDown') } });
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
    const unreadable = addFault({ method: 'GET', path: BLOB, fault: { respond: refusal(503, 'SlowDown') } });
    await expect(s3.send(new CompleteMultipartUploadCommand(complete))).rejects.toMatchObject({ name: 'ServiceUnavailable' });
    unreadable.remove();
    await s3.send(new CompleteMultipartUploadCommand(complete));
  });

  it('gets retries, so that a short outage fails no upload', async () => {
    addFault({ method: 'PUT', path: BLOB, fault: { respond: refusal(503, 'SlowDown') }, times: 2 });
    expect((await ROUTES['a PUT']!(Buffer.alloc(10))).status).toBeLessThan(300);
  });

  it('gets a retry after RequestTimeTooSkewed, as after a jump of the clock', async () => {
    // The SDK corrects its clock by the date of the response.
    addFault({ method: 'PUT', path: BLOB, fault: { respond: refusal(403, 'RequestTimeTooSkewed') }, times: 1 });
    expect((await ROUTES['a PUT']!(Buffer.alloc(10))).status).toBeLessThan(300);
  });

  it('makes a download fail with a 503 that caches do not store', async () => {
    const file = await setup.put('cached.txt', 'cached');
    addFault({ method: 'GET', path: BLOB, fault: { respond: refusal(503, 'SlowDown') } });
    const response = await fetch(file.url!);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    for (const name of ['cache-control', 'etag', 'content-disposition', 'repr-digest'])
      expect(response.headers.get(name)).toBeNull();
  });
});

describe('a store that does not respond', () => {
  it.each(Object.keys(ROUTES))('makes the service reject %s with 503 and release its reservation', async (name) => {
    addFault({ path: BLOB, fault: { stallRequestAt: 0 } });
    const response = await ROUTES[name]!(Buffer.alloc(1000));
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    // A resumable upload stays, because the client may continue it.
    expect((await usage()).uploadsInProgress).toBe(name === 'a resumable upload' ? 1 : 0);
  });

  it('does not use up the token and the idempotency key of the upload', async () => {
    const { token, id } = await setup.mint({ prefix: 'once' });
    const headers = { 'Idempotency-Key': randomUUID(), 'Content-Disposition': 'attachment; filename="a.bin"' };
    const upload = () => setup.request('POST', '/v1/files', { key: token, headers, body: 'bytes' });
    const stalled = addFault({ path: BLOB, fault: { stallRequestAt: 0 } });
    expect((await upload()).status).toBe(503);
    stalled.remove();
    expect((await upload()).status).toBe(201);
    const record = (await (await setup.request('GET', `/v1/upload-tokens/${id}`)).json()) as { response: { uses: number } };
    expect(record.response.uses).toBe(1);
  });

  it('ends an upload while its client still sends, if an earlier part fails', async () => {
    const stalled = addFault({ method: 'PUT', path: /partNumber=1/, fault: { stallRequestAt: 0 } });
    const { restUrl, apiKey } = setup.service;
    const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Length': `${100 * MIB}` };
    const request = send(`${restUrl}/v1/files/half.bin`, { method: 'PUT', headers });
    const responsePromise = once(request, 'response') as Promise<[IncomingMessage]>;
    // Sends a full part and the beginning of the next one, and then nothing.
    request.write(randomBytes(9 * MIB));
    const [response] = await responsePromise;
    expect([response.statusCode, response.headers['retry-after'], stalled.hits]).toEqual([503, '5', 1]);
    expect(await text(response)).toContain('SERVICE_UNAVAILABLE');
    request.destroy();
    await expect.poll(async () => (await usage()).uploadsInProgress).toBe(0);
  });

  it('ends a running download over REST and S3, which the metrics count', async () => {
    const file = await setup.put('begun.bin', randomBytes(3 * MIB));
    const before = await setup.metric('svc_store_read_failures_total{kind="unavailable"}');
    addFault({ method: 'GET', path: BLOB, fault: { stallResponseAt: MIB } });
    await expect(fetch(file.url!).then((response) => response.arrayBuffer())).rejects.toThrow();
    const received = await setup.service.client().send(new GetObjectCommand({ Bucket: 'main', Key: 'begun.bin' }));
    await expect(received.Body!.transformToByteArray()).rejects.toThrow();
    expect(await setup.metric('svc_store_read_failures_total{kind="unavailable"}')).toBe(before + 2);
  });

  it('is not assumed while a client reads slower than the timeout', async () => {
    const bytes = randomBytes(4 * MIB);
    const file = await setup.put('slow-reader.bin', bytes);
    const request = send(file.url!);
    request.end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const seen = setup.proxy.requests.at(-1)!;
    // Read nothing until the store has been idle for longer than its timeout.
    const idleSince = { at: Date.now(), bytes: -1 };
    await expect
      .poll(() => {
        if (seen.responseBytes !== idleSince.bytes) Object.assign(idleSince, { at: Date.now(), bytes: seen.responseBytes });
        return Date.now() - idleSince.at;
      })
      .toBeGreaterThan(3000);
    const read: Buffer[] = [];
    for await (const chunk of response) read.push(chunk as Buffer);
    expect(Buffer.concat(read).equals(bytes)).toBe(true);
  });

  it('is swept when it responds again', async () => {
    const { core } = setup.service.service;
    addFault({ method: 'POST', path: /uploadId=/, fault: { stallRequestAt: 0 } });
    expect((await ROUTES['a PUT']!(randomBytes(20 * MIB))).status).toBe(503);
    setup.removeFaults();
    // Sweeps like a service that has just started and is alone on the data.
    await core.blobs.sweep({ aloneSince: Date.now() + 1000 });
    const { bucketId, accountId } = await storeStorage();
    expect(await setup.engine.service.core.blobs.listUploads({ bucketId, accountId }, { kind: 's3', limit: 10 })).toMatchObject({
      uploads: [],
    });
  });
});

async function storeStorage() {
  const { accountId, id: bucketId } = (await setup.engine.service.core.blobs.findBucket('store'))!;
  return { accountId, bucketId };
}

describe('a store that is full', () => {
  const FULL = [refusal(507), refusal(403, 'QuotaExceeded'), refusal(507, 'XMinioStorageFull')];

  it.each(Object.keys(ROUTES))('makes the service reject %s with 507 without a retry', async (name) => {
    for (const storeResponse of FULL) {
      const rule = addFault({ method: 'PUT', path: BLOB, fault: { respond: storeResponse } });
      const response = await ROUTES[name]!(Buffer.alloc(1000));
      expect([response.status, await response.json()]).toEqual([507, expect.objectContaining({ code: 'STORAGE_FULL' })]);
      expect(rule.hits).toBe(1);
      rule.remove();
    }
  });

  it('makes a long S3 upload fail with InsufficientStorage', async () => {
    const s3 = setup.service.client();
    addFault({ method: 'PUT', path: /partNumber=2/, fault: { respond: FULL[1]! } });
    const Body = randomBytes(20 * MIB);
    await expect(s3.send(new PutObjectCommand({ Bucket: 'main', Key: 'long', Body }))).rejects.toMatchObject({
      name: 'InsufficientStorage',
      $metadata: { httpStatusCode: 507 },
    });
    const storage = await storeStorage();
    expect(await setup.engine.service.core.blobs.listUploads(storage, { kind: 's3', limit: 10 })).toMatchObject({ uploads: [] });
  });

  it('leaves the service ready, because files can still be read', async () => {
    const file = await setup.put('held.txt', 'held');
    addFault({ method: 'PUT', path: '/store/', fault: { respond: FULL[0]! } });
    await expect.poll(async () => (await setup.request('GET', '/readyz')).status).toBe(200);
    expect(await (await fetch(file.url!)).text()).toBe('held');
  });
});
