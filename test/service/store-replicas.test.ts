import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestEndpoint } from '../s3-endpoint/start-endpoint.js';
import { useS3Engine } from '../support/s3-engine.js';
import type { S3Engine } from '../support/s3-engine.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import type { FaultProxy } from '../../fault-proxy/fault-proxy.js';
import { createDatabase } from '../support/postgres.js';

const Bucket = `shared-${process.pid}-${Date.now().toString(36)}`;
let engine: S3Engine;
let proxy: FaultProxy;
let dataDir: string;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  engine = await useS3Engine();
  process.env['AWS_ACCESS_KEY_ID'] = engine.accessKeyId;
  process.env['AWS_SECRET_ACCESS_KEY'] = engine.secretAccessKey;
  proxy = await startFaultProxy(engine.endpoint);
  dataDir = await mkdtemp(join(tmpdir(), 'svc-shared-'));
});
afterAll(async () => {
  for (const stop of stops) await stop();
  await proxy.close();
  await engine.stop();
  await rm(dataDir, { recursive: true, force: true });
});

interface Replicas {
  both: [TestEndpoint, TestEndpoint];
  /** Sends a REST request to one of the two. */
  request(index: number, method: string, path: string, headers?: Record<string, string>, body?: Uint8Array): Promise<Response>;
}

let buckets = 0;

/** Starts two replicas with a new database and a new bucket. */
async function twoReplicas(quotaBytes?: number): Promise<Replicas> {
  const databaseUrl = await createDatabase();
  const bucket = `${Bucket}-${buckets++}`;
  const s3 = { endpoint: proxy.url, region: engine.region };
  const { S3Client } = await import('@aws-sdk/client-s3');
  await new S3Client({ ...s3, forcePathStyle: true }).send(new CreateBucketCommand({ Bucket: bucket }));
  const store = `s3://${bucket}?endpoint=${proxy.url}&region=${engine.region}`;
  const options = { databaseUrl, store, dataDir, ...(quotaBytes !== undefined && { quotaBytes }) };
  const first = await TestEndpoint.start(options);
  const second = await TestEndpoint.start(options);
  stops.push(
    () => second.service.close(),
    () => first.service.close(),
  );
  return {
    both: [first, second],
    request: (index, method, path, headers, body) =>
      fetch([first, second][index % 2]!.restUrl + path, {
        method,
        headers: { Authorization: `Bearer ${first.apiKey}`, ...headers },
        ...(body && { body: body as BodyInit }),
      }),
  };
}

const tus = { 'Tus-Resumable': '1.0.0' };
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('two replicas on one store', () => {
  it('accept the pieces of an upload in turn and reject bytes of earlier writers, however late they arrive', async () => {
    const { request, both } = await twoReplicas();
    const pieces = Array.from({ length: 6 }, () => randomBytes(100_000));
    const whole = Buffer.concat(pieces);
    const created = await request(0, 'POST', '/v1/uploads', {
      ...tus,
      'Upload-Length': `${whole.length}`,
      'Upload-Metadata': `filename ${btoa('alternating.bin')}`,
    });
    const place = created.headers.get('location')!;
    const send = (at: number, offset: number, body: Uint8Array) =>
      request(
        at,
        'PATCH',
        place,
        { ...tus, 'Upload-Offset': `${offset}`, 'Content-Type': 'application/offset+octet-stream' },
        body,
      );
    const late: Promise<Response>[] = [];
    let last: Response | undefined;
    for (const [at, piece] of pieces.entries()) {
      const offset = at * 100_000;
      // The earlier writer sends other bytes. They reach the store only after the upload has continued.
      let arrived: () => void;
      const isHeld = new Promise<void>((resolve) => (arrived = resolve));
      let release: () => void;
      const released = new Promise<void>((resolve) => (release = resolve));
      const rule = proxy.on({
        method: 'PUT',
        path: /\/[a-z0-9]{32}\?/,
        times: 1,
        fault: {
          beforeChunk: () => {
            arrived();
            return released;
          },
        },
      });
      late.push(send(at, offset, randomBytes(100_000)));
      await isHeld;
      rule.remove();
      const head = await request(at + 1, 'HEAD', place, tus);
      expect(head.headers.get('upload-offset')).toBe(String(offset));
      last = await send(at + 1, offset, piece);
      expect(last.status).toBe(at === pieces.length - 1 ? 200 : 204);
      release!();
      expect((await late.at(-1)!).status).toBe(409);
    }
    const { response } = (await last!.json()) as { response: { id: string; sha256: string; size: number } };
    expect(response).toMatchObject({ size: whole.length, sha256: sha256(whole) });
    const received = await request(1, 'GET', `/v1/files/${response.id}/content`);
    expect(sha256(new Uint8Array(await received.arrayBuffer()))).toBe(sha256(whole));
    expect(await both[0].service.core.blobs.usage('main')).toMatchObject({ bytes: whole.length, uploadsInProgress: 0 });
  });

  it('never exceed a quota together, through any route', async () => {
    const QUOTA = 100_000;
    const { request, both } = await twoReplicas(QUOTA);
    const bytes = new Uint8Array(10_000);
    const tried = Array.from({ length: 40 }, async (_, at): Promise<boolean> => {
      if (at % 4 < 2) return (await request(at, 'PUT', `/v1/files/put-${at}.bin`, {}, bytes)).status === 201;
      if (at % 4 === 2) {
        const named = { 'Upload-Metadata': `filename ${btoa(`tus-${at}.bin`)}`, 'Upload-Length': `${bytes.length}` };
        const carries = { 'Content-Type': 'application/offset+octet-stream' };
        return (await request(at >> 2, 'POST', '/v1/uploads', { ...tus, ...named, ...carries }, bytes)).status === 201;
      }
      const s3 = both[(at >> 2) % 2]!.client(both[0].pair);
      const put = new PutObjectCommand({ Bucket: 'main', Key: `s3-${at}`, Body: bytes });
      return s3.send(put).then(
        () => true,
        (cause: Error) => {
          expect(cause.name).toBe('QuotaExceeded');
          return false;
        },
      );
    });
    const stored = (await Promise.all(tried)).filter(Boolean).length;
    expect(stored).toBe(10);
    expect(await both[1].service.core.blobs.usage('main')).toMatchObject({ files: 10, bytes: QUOTA, uploadsInProgress: 0 });
  });
});
