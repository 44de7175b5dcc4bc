import { CreateBucketCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newBlobId } from '../../server/service/runtime/ids.js';
import { TestEndpoint } from '../s3-endpoint/start-endpoint.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import type { FaultProxy } from '../../fault-proxy/fault-proxy.js';
import { TestService } from './support.js';

const Bucket = 'a-large-store';
/** The store, and a proxy in front of it that delays its listings. */
let engine: TestEndpoint;
let proxy: FaultProxy;
let dataDir: string;
beforeAll(async () => {
  engine = await TestEndpoint.start();
  proxy = await startFaultProxy(engine.url);
  dataDir = await mkdtemp(join(tmpdir(), 'svc-start-'));
  process.env['AWS_ACCESS_KEY_ID'] = engine.pair.accessKeyId;
  process.env['AWS_SECRET_ACCESS_KEY'] = engine.pair.secretAccessKey;
  await engine.client().send(new CreateBucketCommand({ Bucket }));
});
afterAll(async () => {
  await proxy.close();
  await engine.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const start = () => TestService.start({ dataDir, store: `s3://${Bucket}?endpoint=${proxy.url}&region=us-east-1` });
const listBlobs = async () => {
  const { Contents = [] } = await engine.client().send(new ListObjectsV2Command({ Bucket }));
  return Contents.map(({ Key }) => Key!).filter((key) => key !== 'probe');
};
const isListing = ({ path }: { path: string }) => path.includes('list-type=2') || path.includes('uploads');

it('a started service responds while it searches its store for orphans, and deletes only the orphans', async () => {
  const orphans = Array.from({ length: 3 }, () => newBlobId());
  for (const Key of orphans) await engine.client().send(new PutObjectCommand({ Bucket, Key, Body: 'left by a crash' }));
  let release!: () => void;
  const released = new Promise<void>((resolve) => (release = resolve));
  const heldListings = proxy.on({ method: 'GET', when: isListing, fault: { beforeChunk: () => released } });
  const service = await start();
  expect((await service.call('GET', '/readyz', { credential: null })).status).toBe(200);
  const { response } = await service.put('meanwhile.txt', 'meanwhile');
  // No listing has returned yet, so all orphans are still there.
  expect(await listBlobs()).toEqual(expect.arrayContaining(orphans));
  release();
  await expect.poll(listBlobs).toHaveLength(1);
  expect(new TextDecoder().decode(await service.bytesOf(response.id))).toBe('meanwhile');
  const metrics = async () => (await fetch(`${service.url}/metrics`)).text();
  await expect.poll(metrics).toMatch(/svc_swept_total\{what="orphans"\} 3/);
  heldListings.remove();
  await service.service.close();
});

it('a stopping service does not wait for a listing of its store', async () => {
  const stalledListings = proxy.on({ method: 'GET', when: isListing, fault: { stallResponseAt: 0 } });
  const service = await start();
  await expect.poll(() => stalledListings.hits).toBeGreaterThan(0);
  await expect(service.service.close()).resolves.toBeUndefined();
  stalledListings.remove();
});
