import { request } from 'node:http';
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileRecord } from '../../src/protocol/types.js';
import { httpRequest, signer, urlOf } from '../s3-endpoint/signing.js';
import { FakeClamd } from '../support/fake-clamd.js';
import { emptyPng } from './image-samples.js';
import { TestService } from './support.js';
import { TusClient } from './tus-client.js';

const stateOf = async (service: TestService, id: string): Promise<FileRecord> =>
  (await service.call<FileRecord>('GET', `/v1/files/${id}`)).response;
const putNew = async (service: TestService, path: string, body: BodyInit, query = ''): Promise<FileRecord> =>
  (await service.put(`${path}${query}`, body)).response;

describe('a file of a service that scans', () => {
  let fake: FakeClamd;
  let service: TestService;
  beforeEach(async () => {
    fake = await FakeClamd.start();
    service = await TestService.start({ scan: fake.address, s3Port: 0, fetch: true, outboundAllow: ['127.0.0.1'] });
  });
  afterEach(async () => {
    await service.stop();
    fake.stop();
  });

  /** Reads the file at a verified domain. fetch does not allow a custom Host header. */
  async function statusOfDomain(): Promise<number> {
    const { core } = service.service;
    const { bucketId } = (await core.accounts.mainStorage('main'))!;
    const times = { verified_at: Date.now(), checked_at: Date.now(), created_at: Date.now() };
    const row = { id: 'dom_1', account_id: 'main', bucket_id: bucketId, host: 'files.example.org', prefix: 'a' };
    await core.write((query) =>
      query
        .insertInto('domains')
        .values({ ...row, ...times, challenge: 'x', failures: 0 })
        .execute(),
    );
    const { hostname, port } = new URL(service.url);
    return new Promise((resolve, reject) => {
      request({ hostname, port, path: '/x.txt', headers: { Host: row.host } }, (response) =>
        resolve(response.resume().statusCode!),
      )
        .on('error', reject)
        .end();
    });
  }

  /** Every way to read the bytes of `a/x.txt` and `a/x.png`, with its status. */
  async function readEverywhere(text: FileRecord, image: FileRecord): Promise<Record<string, number>> {
    const statuses: Record<string, number> = {};
    const read = async (name: string, url: string, init: RequestInit = {}) => {
      const response = await fetch(url, init);
      const body = await response.text();
      if (response.status < 300 && init.method !== 'HEAD') expect(body.length).toBeGreaterThan(0);
      statuses[name] = response.status;
    };
    const key = { headers: { authorization: `Bearer ${service.key}` } };
    const link = async (id: string, body: object) =>
      (await service.call<{ url: string }>('POST', `/v1/files/${id}/links`, { body })).response.url;
    const share = async (body: object) => (await service.call<{ url: string }>('POST', '/v1/shares', { body })).response.url;
    const folder = (await share({ prefix: 'a' })).replace(/\/$/, '');
    const single = await share({ path: 'a/x.txt' });
    await service.call('POST', '/v1/rules', { body: { prefix: 'a', image_sizes: ['50x50'] } });

    await read('public', `${service.url}/f/main/a/x.txt`);
    await read('public HEAD', `${service.url}/f/main/a/x.txt`, { method: 'HEAD' });
    await read('public range', `${service.url}/f/main/a/x.txt`, { headers: { range: 'bytes=0-0' } });
    await read('public conditional', `${service.url}/f/main/a/x.txt`, { headers: { 'if-none-match': `"${text.etag}"` } });
    await read('public image', `${service.url}/f/main/a/x.png?w=50&h=50`);
    await read('link', await link(text.id, {}));
    await read('link to image', await link(image.id, { transform: { w: 40 } }));
    await read('owner', `${service.url}/v1/files/${text.id}/content`, key);
    await read('owner image', `${service.url}/v1/files/${image.id}/content?w=30`, key);
    await read('owner ZIP', `${service.url}/v1/files/zip?prefix=a`, key);
    await read('share', single);
    const limited = await share({ path: 'a/x.txt', max_downloads: 5 });
    await read('limited share', limited);
    const { response: listed } = await service.call<{ shares: { url: string; downloads: number }[] }>('GET', '/v1/shares');
    const counted = listed.shares.find(({ url }) => url === limited)!.downloads;
    expect(counted).toBe(statuses['limited share'] === 200 ? 1 : 0);
    statuses['domain'] = await statusOfDomain();
    await read('share download', `${single}?download=1`);
    await read('share page', single, { headers: { accept: 'text/html' } });
    await read('folder share page of an image', `${folder}/x.png`, { headers: { accept: 'text/html' } });
    await read('folder share file', `${folder}/x.txt`);
    await read('folder share preview', `${folder}/x.png?w=320&h=320`);
    await read('folder share ZIP', `${folder}/?zip=1`);

    const { id, secret } = await service.service.core.s3Credentials.create('main', {});
    const credentials = { accessKeyId: id, secretAccessKey: secret };
    const client = new S3Client({
      endpoint: service.s3Url!,
      region: 'us-east-1',
      forcePathStyle: true,
      maxAttempts: 1,
      credentials,
    });
    const object = { Bucket: 'main', Key: 'a/x.txt' };
    const statusOf = (sent: Promise<{ $metadata: { httpStatusCode?: number } }>) =>
      sent.then(
        ({ $metadata }) => $metadata.httpStatusCode!,
        (cause: { $metadata: { httpStatusCode: number } }) => cause.$metadata.httpStatusCode,
      );
    statuses['S3'] = await statusOf(client.send(new GetObjectCommand(object)));
    statuses['S3 range'] = await statusOf(client.send(new GetObjectCommand({ ...object, Range: 'bytes=0-0' })));
    const unsigned = httpRequest(
      'GET',
      new URL(service.s3Url!).host,
      '/main/a/x.txt',
      {},
      { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
    );
    const presigned = await signer(credentials).presign(unsigned, { expiresIn: 60 });
    await read('S3 presigned', service.s3Url + urlOf(presigned));
    await read('S3 anonymous', `${service.s3Url}/main/a/x.txt`);
    const copy = new CopyObjectCommand({ Bucket: 'main', Key: 'b/x.txt', CopySource: 'main/a/x.txt', ACL: 'public-read' });
    await client.send(copy);
    await read('copy', `${service.url}/f/main/b/x.txt`);
    const moved = (await service.call<FileRecord>('POST', `/v1/files/${text.id}/copy`, { body: { path: 'c/x.txt' } })).response;
    await service.call('POST', `/v1/files/${moved.id}/move`, { body: { path: 'd/x.txt' } });
    await read('moved copy', `${service.url}/f/main/d/x.txt`);
    await runJob({ type: 'copy', prefix: 'a', to: 'e' });
    await read('copied by a job', `${service.url}/f/main/e/x.txt`);
    await runJob({ type: 'move', prefix: 'e', to: 'g' });
    await read('moved by a job', `${service.url}/f/main/g/x.txt`);
    const part = { Bucket: 'main', Key: 'part.txt' };
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(part));
    const source = { CopySource: 'main/a/x.txt', UploadId, PartNumber: 1 };
    statuses['S3 part copy'] = await statusOf(client.send(new UploadPartCopyCommand({ ...part, ...source })));
    const own = { url: `${service.url}/f/main/a/x.txt`, path: 'fetched.txt' };
    const fetched = await service.call<FileRecord>('POST', '/v1/files/fetch', { body: own });
    const { public: direct } = statuses;
    if (direct === 200) expect(fetched.status).toBe(201);
    else expect(fetched.error.details['status']).toBe(direct);
    const head = await client.send(new HeadObjectCommand(object));
    expect(head.ContentLength).toBe(5);
    client.destroy();
    return statuses;
  }

  async function runJob(body: object): Promise<void> {
    const { id } = (await service.call<{ id: string }>('POST', '/v1/jobs', { body })).response;
    const stateOfJob = async () => (await service.call<{ state: string }>('GET', `/v1/jobs/${id}`)).response.state;
    await expect.poll(stateOfJob, { timeout: 20_000 }).toBe('done');
  }

  /** The statuses of another state by those of a refusal. */
  const expected = (rest: number, s3: number, names: string[]) =>
    Object.fromEntries(names.map((name) => [name, name.startsWith('S3') ? s3 : rest]));

  const putBoth = async () =>
    [
      await putNew(service, 'a/x.txt', 'hello', '?visibility=public'),
      await putNew(service, 'a/x.png', await emptyPng(), '?visibility=public'),
    ] as const;

  it('is pending, however it was uploaded', async () => {
    fake.answer = () => undefined;
    const paths = ['batch.txt', 'fetched.txt', 'form.txt', 'multipart.txt', 'put.txt', 's3.txt', 'tus.txt'];
    await putNew(service, 'put.txt', 'x');
    await service.upload('x', 'form.txt');
    const form = new FormData();
    form.append('file', new Blob(['x']), 'batch.txt');
    await service.call('POST', '/v1/files/batch', { body: form });
    await new TusClient(() => service).create({ length: 1, describe: { filename: 'tus.txt' }, body: new Uint8Array(1) });
    const url = `${service.url}/healthz`;
    expect((await service.call('POST', '/v1/files/fetch', { body: { url, path: 'fetched.txt' } })).status).toBe(201);
    const { core } = service.service;
    const { id, secret } = await core.s3Credentials.create('main', {});
    const credentials = { accessKeyId: id, secretAccessKey: secret };
    const client = new S3Client({ endpoint: service.s3Url!, region: 'us-east-1', forcePathStyle: true, credentials });
    await client.send(new PutObjectCommand({ Bucket: 'main', Key: 's3.txt', Body: 'x' }));
    const object = { Bucket: 'main', Key: 'multipart.txt' };
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(object));
    const part = { ...object, UploadId, PartNumber: 1 };
    const { ETag } = await client.send(new UploadPartCommand({ ...part, Body: 'x' }));
    const MultipartUpload = { Parts: [{ ETag, PartNumber: 1 }] };
    await client.send(new CompleteMultipartUploadCommand({ ...object, UploadId, MultipartUpload }));
    client.destroy();
    const states = async () => {
      const { response } = await service.call<{ files: FileRecord[] }>('GET', '/v1/files?limit=100');
      return response.files.map(({ path, scan }) => `${path} ${scan}`);
    };
    await expect.poll(states).toEqual(paths.map((path) => `${path} pending`));
  });

  it('is delivered nowhere while it is pending', async () => {
    fake.answer = () => undefined;
    const [text, image] = await putBoth();
    const statuses = await readEverywhere(text, image);
    expect(statuses).toEqual(expected(409, 503, Object.keys(statuses)));
    const refused = await service.call('GET', '/f/main/a/x.txt', { credential: null });
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(refused.error).toMatchObject({ code: 'FILE_NOT_SCANNED', details: { scan: 'pending' } });
  });

  it('is delivered nowhere once it is infected, also from its cached image', async () => {
    const [text, image] = await putBoth();
    await expect.poll(() => stateOf(service, image.id)).toMatchObject({ scan: 'clean' });
    expect(
      (await fetch(`${service.url}/v1/files/${image.id}/content?w=30`, { headers: { authorization: `Bearer ${service.key}` } }))
        .status,
    ).toBe(200);
    const { core } = service.service;
    await core.write((query) => query.updateTable('files').set({ scan: 'infected', scan_signature: 'X' }).execute());
    const statuses = await readEverywhere(text, image);
    expect(statuses).toEqual(expected(403, 403, Object.keys(statuses)));
  });

  it('is delivered nowhere in an unknown state', async () => {
    const [text, image] = await putBoth();
    await expect.poll(() => stateOf(service, image.id)).toMatchObject({ scan: 'clean' });
    await expect.poll(() => stateOf(service, text.id)).toMatchObject({ scan: 'clean' });
    const { core } = service.service;
    await core.write((query) =>
      query
        .updateTable('files')
        .set({ scan: 'of a later version' as 'clean' })
        .execute(),
    );
    const statuses = await fetch(`${service.url}/f/main/a/x.txt`);
    expect(statuses.status).toBe(409);
  });

  it('is delivered everywhere once it is clean', async () => {
    const [text, image] = await putBoth();
    for (const { id } of [text, image]) await expect.poll(() => stateOf(service, id)).toMatchObject({ scan: 'clean' });
    const statuses = await readEverywhere(text, image);
    expect(Object.entries(statuses).filter(([, status]) => ![200, 206, 304].includes(status))).toEqual([]);
  });
});
