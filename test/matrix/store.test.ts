import { CompleteMultipartUploadCommand, CreateMultipartUploadCommand, S3Client, UploadPartCommand } from '@aws-sdk/client-s3';
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ActiveRule, Fault } from '../setup/fault-proxy.js';
import { Replicas } from './replicas.js';
import type { Replica } from './replicas.js';

const MIB = 1024 * 1024;
/** Seconds after which the service takes a silent store for unreachable. */
const TIMEOUT = 2;
/** A client would call more than this hanging. ms */
const PATIENCE = 60_000;
const Bucket = 'main';

// Without an engine the replicas share a folder, which cannot refuse or lie.
describe.skipIf(!process.env['TEST_S3_ENDPOINT'])('two replicas whose store', () => {
  let replicas: Replicas;
  let clients: S3Client[];
  const rules: ActiveRule[] = [];
  beforeAll(async () => {
    replicas = await Replicas.start(2, { storeTimeout: TIMEOUT });
    const headers = { 'Content-Type': 'application/json' };
    const made = await replicas.call<{ access_key_id: string; secret_access_key: string }>(
      replicas.all[0]!,
      'POST',
      '/v1/s3-credentials',
      { headers, body: JSON.stringify({ name: 'matrix' }) },
    );
    const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = made.response;
    const credentials = { accessKeyId, secretAccessKey };
    clients = replicas.all.map(
      ({ process }) =>
        new S3Client({ endpoint: process.s3Url, region: 'us-east-1', forcePathStyle: true, credentials, maxAttempts: 1 }),
    );
  });
  afterEach(() => rules.splice(0).forEach((rule) => rule.remove()));
  afterAll(() => replicas.stop());

  const strike = (method: string, fault: Fault) =>
    void rules.push(replicas.store!.on({ method, path: /^\/[^/]+\/[a-z0-9]{32}/, fault }));
  const content = (replica: Replica, id: string) =>
    fetch(`${replica.process.url}/v1/files/${id}/content`, { headers: { Authorization: `Bearer ${replicas.key}` } });

  it.each<[string, Fault]>([
    ['answers 503', { answer: { status: 503 } }],
    ['hangs', { stallRequestAt: 0 }],
  ])('%s tell uploads to try again, and store them once it is back', async (name, fault) => {
    strike('PUT', fault);
    const path = `${name.replace(' ', '-')}.bin`;
    const headers = { 'Idempotency-Key': `of-the-upload-that-${path}` };
    for (const replica of replicas.all) {
      const { status, code, headers: answered, took } = await replicas.put(replica, path, randomBytes(1000), { headers });
      expect([status, code, answered.get('retry-after')]).toEqual([503, 'SERVICE_UNAVAILABLE', '5']);
      expect(took).toBeLessThan(PATIENCE);
    }
    rules.pop()!.remove();
    expect((await replicas.put(replicas.all[1]!, path, 'whole', { headers })).status).toBe(201);
  });

  it('answers short break the download off, and the next one is whole', async () => {
    const bytes = randomBytes(MIB);
    const { response } = await replicas.put(replicas.all[0]!, 'short.bin', bytes);
    strike('GET', { response: { body: (whole) => whole.subarray(0, whole.length - 7) } });
    for (const replica of replicas.all)
      await expect(content(replica, response.id).then((answer) => answer.arrayBuffer())).rejects.toThrow();
    rules.pop()!.remove();
    for (const replica of replicas.all)
      expect(bytes.equals(Buffer.from(await (await content(replica, response.id)).arrayBuffer()))).toBe(true);
  });

  it('is shared answer all completions of one upload alike', async () => {
    for (let round = 0; round < 3; round++) {
      const Key = `completed/${round}`;
      const { UploadId } = await clients[0]!.send(new CreateMultipartUploadCommand({ Bucket, Key }));
      const part = new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: randomBytes(100_000) });
      const { ETag } = await clients[0]!.send(part);
      const MultipartUpload = { Parts: [{ ETag, PartNumber: 1 }] };
      const complete = (at: number) =>
        clients[at % 2]!.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload }));
      const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => complete(at)));
      expect(new Set([...answers, await complete(0), await complete(1)].map((answer) => answer.ETag)).size).toBe(1);
    }
  });
});
