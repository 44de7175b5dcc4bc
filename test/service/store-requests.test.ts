import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestEndpoint } from '../s3-endpoint/start-endpoint.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import type { FaultProxy } from '../../fault-proxy/fault-proxy.js';
import { TestService } from './support.js';
import { locationOf, TusClient } from './tus-client.js';

const Bucket = 'asked';
/** The store, and a proxy in front of it that counts its requests. */
let engine: TestEndpoint;
let proxy: FaultProxy;
let dataDir: string;
let service: TestService;
beforeAll(async () => {
  engine = await TestEndpoint.start();
  proxy = await startFaultProxy(engine.url);
  dataDir = await mkdtemp(join(tmpdir(), 'svc-asked-'));
  process.env['AWS_ACCESS_KEY_ID'] = engine.pair.accessKeyId;
  process.env['AWS_SECRET_ACCESS_KEY'] = engine.pair.secretAccessKey;
  await engine.client().send(new CreateBucketCommand({ Bucket }));
  service = await start();
});
afterAll(async () => {
  await service.stop();
  await proxy.close();
  await engine.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const start = () => TestService.start({ dataDir, store: `s3://${Bucket}?endpoint=${proxy.url}&region=us-east-1` });

it('parallel requests to /readyz cause one request to the store', async () => {
  const probes = proxy.on({ method: 'PUT', path: `/${Bucket}/probe`, fault: { delay: 100 } });
  const ask = () => service.call('GET', '/readyz', { credential: null });
  const httpResponses = await Promise.all(Array.from({ length: 20 }, ask));
  httpResponses.push(await ask());
  expect(httpResponses.map((response) => response.status)).toEqual(httpResponses.map(() => 200));
  expect(probes.hits).toBe(1);
  probes.remove();
});

it('parallel requests for an upload that is being finished read its bytes once', async () => {
  const tusClient = new TusClient(() => service);
  const bytes = new Uint8Array(200_000).fill(7);
  const place = locationOf(await tusClient.create({ length: bytes.length, describe: { filename: 'once.bin' } }));
  await tusClient.send(place, 0, bytes.subarray(0, 100_000));
  // The new process did not receive the first half, so it must read the half to hash it.
  await service.service.close();
  service = await start();
  const reads = proxy.on({ method: 'GET', path: new RegExp(`^/${Bucket}/[a-z0-9]{32}`), fault: { delay: 300 } });
  const sending = tusClient.send(place, 100_000, bytes.subarray(100_000));
  await expect.poll(() => reads.hits).toBe(1);
  const responses = await Promise.all(Array.from({ length: 5 }, () => tusClient.head(place)));
  expect((await sending).response.size).toBe(bytes.length);
  expect(responses.map((response) => response.headers.get('upload-offset'))).toEqual(responses.map(() => String(bytes.length)));
  // One request for each of the two pieces.
  expect(reads.hits).toBe(2);
  reads.remove();
});

it('a batch whose parts are written at the same time causes no warning about a listener leak', async () => {
  const warnings: string[] = [];
  const recordWarning = ({ name }: Error) => void warnings.push(name);
  process.on('warning', recordWarning);
  const writes = proxy.on({ method: 'PUT', path: new RegExp(`^/${Bucket}/[a-z0-9]{32}`), fault: { delay: 100 } });
  const form = new FormData();
  for (let index = 0; index < 100; index++) form.append('file', new Blob([`file ${index}`]), `${index}.txt`);
  const { response } = await service.call<{ results: object[] }>('POST', '/v1/files/batch', { body: form });
  expect(response.results.filter((result) => 'file' in result)).toHaveLength(100);
  expect(writes.hits).toBe(100);
  writes.remove();
  // Node emits warnings in a later tick.
  await new Promise(setImmediate);
  process.off('warning', recordWarning);
  expect(warnings).toEqual([]);
});
