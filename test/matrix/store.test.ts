import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { S3ServiceException } from '@aws-sdk/client-s3';
import { randomBytes } from 'node:crypto';
import { Agent, get } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { completeOften } from '../s3-endpoint/parallel-completions.js';
import { blobsIn, s3Client } from '../service/backend.js';
import type { ActiveRule, Fault } from '../../fault-proxy/fault-proxy.js';
import { Replicas } from './replicas.js';
import type { Replica } from './replicas.js';

const MIB = 1024 * 1024;
/** Seconds after which the service gives up a silent store. */
const TIMEOUT = 2;
/** Milliseconds after which a request counts as hanging. */
const PATIENCE = 60_000;
const Bucket = 'main';
const BODY = randomBytes(1000);

describe('two replicas', () => {
  let replicas: Replicas;
  let clients: S3Client[];
  const rules: ActiveRule[] = [];
  beforeAll(async () => {
    replicas = await Replicas.start(2, { storeTimeout: TIMEOUT, log: true });
    const credentials = await replicas.newPair();
    clients = replicas.all.map(
      ({ process }) =>
        new S3Client({ endpoint: process.s3Url, region: 'us-east-1', forcePathStyle: true, credentials, maxAttempts: 1 }),
    );
  });
  afterEach(() => rules.splice(0).forEach((rule) => rule.remove()));
  afterAll(() => replicas.stop());

  const addFault = (method: string, fault: Fault) =>
    void rules.push(replicas.store!.on({ method, path: /^\/[^/]+\/[a-z0-9]{32}/, fault }));
  const content = (replica: Replica, id: string) => replicas.content(replica, id);

  /** Upload routes. Each returns the status, the code and `Retry-After`. */
  const ROUTES: Record<string, (at: number, path: string, key: string) => Promise<[number, string | undefined, string | null]>> =
    {
      'a PUT': async (at, path, key) => {
        const headers = { 'Idempotency-Key': key };
        const { status, code, headers: responseHeaders } = await replicas.put(replicas.all[at]!, path, BODY, { headers });
        return [status, code, responseHeaders.get('retry-after')];
      },
      'a resumable upload': async (at, path, key) => {
        const type = { 'Content-Type': 'application/offset+octet-stream', 'Upload-Length': `${BODY.length}` };
        const described = { 'Upload-Metadata': `filename ${btoa(path)}`, 'Tus-Resumable': '1.0.0' };
        const headers = { ...type, ...described, 'Idempotency-Key': key };
        const {
          status,
          code,
          headers: responseHeaders,
        } = await replicas.call(replicas.all[at]!, 'POST', '/v1/uploads', {
          headers,
          body: BODY,
        });
        return [status, code, responseHeaders.get('retry-after')];
      },
      'an S3 object': async (at, Key) => {
        try {
          await clients[at]!.send(new PutObjectCommand({ Bucket, Key, Body: BODY }));
          return [201, undefined, null];
        } catch (cause) {
          const { $metadata, $response, name } = cause as S3ServiceException;
          return [$metadata.httpStatusCode!, name, $response?.headers['retry-after'] ?? null];
        }
      },
    };
  const FAILURES: [string, Fault][] = [
    ['responds 503', { respond: { status: 503 } }],
    ['hangs', { stallRequestAt: 0 }],
    ['is full', { respond: { status: 507 } }],
  ];

  it.each(FAILURES.flatMap(([name, fault]) => Object.keys(ROUTES).map((route) => [name, route, fault] as const)))(
    'whose store %s report it to %s, and store the repeat when it works again',
    async (name, route, fault) => {
      addFault('PUT', fault);
      const path = `${name} ${route}.bin`.replaceAll(' ', '-');
      const send = (at: number, suffix = '') => ROUTES[route]!(at, path + suffix, `of-the-upload-that-${path}${suffix}`);
      const codes = name === 'is full' ? ['STORAGE_FULL', 'InsufficientStorage'] : ['SERVICE_UNAVAILABLE', 'ServiceUnavailable'];
      const began = performance.now();
      for (const at of [0, 1]) {
        const [status, code, retryAfter] = await send(at);
        expect([status, codes.includes(code!)]).toEqual([name === 'is full' ? 507 : 503, true]);
        if (status === 503) expect(retryAfter).toBe('5');
      }
      expect(performance.now() - began).toBeLessThan(2 * PATIENCE);
      // Rejected uploads hold no reservation. A resumable upload stays and can continue.
      expect((await replicas.admin.query('select from reservations')).rowCount).toBe(0);
      rules.pop()!.remove();
      // A resumable upload under the same key would continue the first one.
      const again = route === 'a resumable upload' ? '-again' : '';
      expect((await send(1, again))[0]).toBe(201);
    },
  );

  it('whose store truncates a response break off the download, and the next one is complete', async () => {
    const bytes = randomBytes(MIB);
    const { response } = await replicas.put(replicas.all[0]!, 'short.bin', bytes);
    addFault('GET', { response: { body: (whole) => whole.subarray(0, whole.length - 7) } });
    for (const replica of replicas.all)
      await expect(content(replica, response.id).then((response) => response.arrayBuffer())).rejects.toThrow();
    rules.pop()!.remove();
    for (const replica of replicas.all)
      expect(bytes.equals(Buffer.from(await (await content(replica, response.id)).arrayBuffer()))).toBe(true);
  });

  it('whose store holds a truncated object never mix responses on a connection', async () => {
    const whole = (await replicas.put(replicas.all[0]!, 'whole.bin', 'whole')).response;
    const before = await blobsIn(replicas.storage.store!);
    const short = (await replicas.put(replicas.all[0]!, 'damaged.bin', randomBytes(MIB))).response;
    const blob = (await blobsIn(replicas.storage.store!)).find((id) => !before.includes(id));
    const { hostname: Store } = new URL(replicas.storage.store!);
    const engine = await s3Client();
    await engine.send(new PutObjectCommand({ Bucket: Store, Key: blob!, Body: randomBytes(1000) }));
    engine.destroy();
    for (const [at, replica] of replicas.all.entries()) {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const read = (id: string, range?: string) =>
        new Promise<string>((resolve) => {
          const headers = { Authorization: `Bearer ${replicas.key}`, ...(range && { Range: range }) };
          get(`${replica.process.url}/v1/files/${id}/content`, { agent, headers }, (response) => {
            text(response).then(
              (body) => resolve(response.statusCode === 200 || response.statusCode === 206 ? body : `${response.statusCode}`),
              () => resolve('broken off'),
            );
          }).on('error', () => resolve('broken off'));
        });
      // All requests use one connection while it stays open.
      const responses = [read(whole.id), read(short.id), read(whole.id), read(short.id, 'bytes=2000-3000'), read(whole.id)];
      const bodies = await Promise.all(responses);
      expect(bodies.filter((_, index) => index % 2 === 0)).toEqual(['whole', 'whole', 'whole']);
      for (const refused of [bodies[1], bodies[3]]) expect(refused).toMatch(/^(500|broken off)$/);
      agent.destroy();
      await expect(
        clients[at]!.send(new GetObjectCommand({ Bucket, Key: 'damaged.bin' })).then((response) =>
          response.Body!.transformToByteArray(),
        ),
      ).rejects.toThrow();
      const metrics = await (await fetch(`${replica.process.url}/metrics`)).text();
      expect(metrics).toMatch(/svc_store_read_failures_total\{kind="short"\} [1-9]/);
      expect(await replicas.logOf(replica)).toMatch(new RegExp(`"blob":"${blob}".*"msg":"stored bytes could not be read"`));
    }
    await replicas.call(replicas.all[0]!, 'DELETE', `/v1/files/${short.id}`);
  });

  it('respond alike to all completions of one upload', async () => {
    for (let round = 0; round < 3; round++) {
      expect(new Set(await completeOften(clients, Bucket, `completed/${round}`)).size).toBe(1);
    }
  });
});
