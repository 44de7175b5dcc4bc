// Long because all cases share one service and one receiver.
import { DeleteObjectsCommand, PutObjectCommand, PutObjectTaggingCommand, S3Client } from '@aws-sdk/client-s3';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { verifyWebhook } from '../../server/helper/index.js';
import { openCore } from '../../server/service/core.js';
import type { Core } from '../../server/service/core.js';
import { ADMIN_CREATOR } from '../../server/service/identity/creator.js';
import { Dispatcher } from '../../server/service/webhooks/dispatcher.js';
import { WebhookRetention } from '../../server/service/webhooks/retention.js';
import type { DeliveryRecord, WebhookRecord } from '../../server/service/webhooks/webhook-rows.js';
import type { FileRecord } from '../../src/protocol/types.js';
import { changeKey, withMetadata } from './change-key.js';
import { BACKEND, storageFor } from './backend.js';
import { TestService } from './support.js';
import { locationOf, TusClient } from './tus-client.js';
import { WebhookReceiver } from './webhook-receiver.js';

const DAY = 86_400_000;
const ALL = ['file.created', 'file.updated', 'file.deleted', 'upload.failed'];
type CreatedWebhook = WebhookRecord & { secret: string };

let service: TestService;
let receiver: WebhookReceiver;
let count = 0;
/** The path of the receiver that the webhook of the running test sends to. */
let path: string;
beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  service = await TestService.start({ outboundAllow: ['127.0.0.1'], s3Port: 0 });
});
afterAll(async () => {
  await service.stop();
  receiver.close();
});
const created: string[] = [];
beforeEach(() => {
  path = `/hook-${++count}`;
  receiver.respond = (response) => response.end();
});
afterEach(async () => {
  await service.advanceClock(0);
  for (const id of created.splice(0)) await service.call('DELETE', `/v1/webhooks/${id}`);
});

async function create(fields: object = {}, credential = service.key): Promise<CreatedWebhook> {
  const body = { url: receiver.url + path, events: ALL, ...fields };
  const { status, response, error } = await service.call<CreatedWebhook>('POST', '/v1/webhooks', { body, credential });
  if (status !== 201) throw new Error(JSON.stringify(error));
  created.push(response.id);
  return response;
}
const read = async (id: string) => (await service.call<WebhookRecord>('GET', `/v1/webhooks/${id}`)).response;
const deliveries = async (id: string, query = '') =>
  (await service.call<{ deliveries: DeliveryRecord[]; cursor: string | null }>('GET', `/v1/webhooks/${id}/deliveries${query}`))
    .response;
/** Lets this replica look for due deliveries now instead of at the next poll. */
const wake = () => service.service.core.blobs.onEvents!();
const arrived = () =>
  receiver.to(path).map(({ event: { type, data } }) => `${type} ${((data.file as FileRecord | undefined) ?? data.upload).path}`);
const statuses = async (id: string) => new Set((await deliveries(id)).deliveries.map(({ status }) => status));
const newest = async (id: string) => (await deliveries(id)).deliveries[0]!;
const expectEvents = (...events: string[]) => expect.poll(() => arrived().toSorted()).toEqual(events.toSorted());

describe('a webhook', () => {
  it('receives the events of files in its folder, signed by Standard Webhooks', async () => {
    const { secret, ...webhook } = await create({ prefix: 'in' });
    expect(webhook).toMatchObject({ status: 'enabled', suspended_reason: null, prefix: 'in', events: ALL });
    expect(await read(webhook.id)).toEqual(webhook);
    const { response: file } = await service.put('in/a.txt?visibility=public', 'one');
    await service.put('inside/b.txt', 'not in the folder');
    await service.put('in/a.txt?overwrite=true', 'two');
    await service.call('PATCH', `/v1/files/${file.id}`, { body: { metadata: { a: 'b' } } });
    await service.call('POST', `/v1/files/${file.id}/move`, { body: { path: 'out/a.txt' } });
    await service.call('DELETE', `/v1/files/${file.id}`);
    await service.put('in/c.txt', 'c');
    await expectEvents(
      'file.created in/a.txt',
      'file.updated in/a.txt',
      'file.updated in/a.txt',
      'file.updated out/a.txt',
      'file.created in/c.txt',
    );
    const requests = receiver.to(path);
    for (const { body, headers } of requests) {
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body));
      expect(await verifyWebhook({ body, headers }, { secret })).toEqual(JSON.parse(body));
    }
    expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(requests.length);
    const first = requests.find(({ event }) => event.type === 'file.created')!.event;
    expect(first.data.file).toMatchObject({ id: file.id, sha256: file.sha256, size: 3, path: 'in/a.txt' });
    expect(first.data.file.url).toContain('/f/main/in/a.txt');
    const moved = requests.find(({ event }) => event.data.previous_path)!.event;
    expect(moved.data).toMatchObject({ previous_path: 'in/a.txt', file: { path: 'out/a.txt' } });
  });

  it('receives the events of every way to store and delete', async () => {
    // Another folder for each attempt, as the files of a failed one stay.
    const folder = `ways-${count}`;
    const { id } = await create({ prefix: folder, events: ['file.created', 'file.updated', 'file.deleted'] });
    const { id: pair, secret } = await service.service.core.s3Credentials.create('main', {});
    const s3 = new S3Client({
      endpoint: service.s3Url!,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: pair, secretAccessKey: secret },
    });
    const token = await service.mint({ path: `${folder}/token.txt` });
    await service.upload('token', 'x.txt', { credential: token.token });
    const batch = new FormData();
    batch.append('file', new Blob(['b']), 'batch.txt');
    const inBatch = await service.call<{ results: { file: { id: string } }[] }>('POST', `/v1/files/batch?prefix=${folder}`, {
      body: batch,
    });
    const body = new TextEncoder().encode('tus');
    await new TusClient(() => service).create({ length: 3, describe: { filename: 'tus.txt', prefix: folder }, body });
    for (const Key of [`${folder}/1`, `${folder}/2`]) await s3.send(new PutObjectCommand({ Bucket: 'main', Key, Body: Key }));
    await s3.send(
      new PutObjectTaggingCommand({ Bucket: 'main', Key: `${folder}/1`, Tagging: { TagSet: [{ Key: 'a', Value: 'b' }] } }),
    );
    const large = await service.put(`${folder}/large.bin`, new Uint8Array(2_000_000));
    await service.call('POST', `/v1/files/${large.response.id}/copy`, { body: { path: `${folder}/copy.bin` } });
    const Objects = [`${folder}/1`, `${folder}/2`, `${folder}/none`].map((Key) => ({ Key }));
    await s3.send(new DeleteObjectsCommand({ Bucket: 'main', Delete: { Objects } }));
    s3.destroy();
    const ids = [large.response.id, inBatch.response.results[0]!.file.id];
    await service.call('PATCH', `/v1/files/${ids[1]}`, { body: { path: `${folder}/moved.txt`, metadata: { a: 'b' } } });
    await service.call('POST', '/v1/files/delete', { body: { ids } });
    await service.put(`${folder}/short.txt?expires_at=${new Date(Date.now() + 60_000).toISOString()}`, 'x');
    await service.put(`${folder}/again.txt?expires_at=${new Date(Date.now() + 60_000).toISOString()}`, 'x');
    // Leases of running attempts would end with the time that passes, and their deliveries arrive twice.
    await expect.poll(() => statuses(id)).toEqual(new Set(['delivered']));
    await service.advanceClock(120_000);
    await service.put(`${folder}/again.txt`, 'stored where an expired file was');
    await service.service.core.blobs.sweep();
    await expectEvents(
      ...['token.txt', 'batch.txt', 'tus.txt', '1', '2', 'large.bin', 'copy.bin', 'short.txt', 'again.txt', 'again.txt'].map(
        (name) => `file.created ${folder}/${name}`,
      ),
      `file.updated ${folder}/1`,
      `file.updated ${folder}/moved.txt`,
      ...['1', '2', 'large.bin', 'moved.txt', 'short.txt', 'again.txt'].map((name) => `file.deleted ${folder}/${name}`),
    );
    const reasons = receiver.to(path).flatMap(({ event: { data } }) => (data.reason ? [[data.file.name, data.reason]] : []));
    expect(Object.fromEntries(reasons)).toMatchObject({ 'short.txt': 'expired', 'again.txt': 'expired', 'large.bin': 'deleted' });
  });

  it('learns of uploads that fail, and not of refused ones', async () => {
    await create({ prefix: 'failed', events: ['upload.failed'] });
    const digest = { 'Repr-Digest': 'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:' };
    await service.put('failed/small.txt', 'x', { headers: digest });
    const { token } = await service.mint({ prefix: 'failed' });
    await service.put('failed/token.txt', 'x', { headers: digest, credential: token });
    await service.put('failed/taken.txt', 'x');
    expect((await service.put('failed/taken.txt', 'y')).status).toBe(409);
    expect((await service.put('failed/denied.txt', 'y', { credential: 'svcup_unknown' })).status).toBe(401);
    const tus = await new TusClient(() => service).create({ length: 3, describe: { filename: 'tus.txt', prefix: 'failed' } });
    await service.call('DELETE', locationOf(tus), { headers: { 'Tus-Resumable': '1.0.0' } });
    const { hostname, port } = new URL(service.url);
    const headers = { Authorization: `Bearer ${service.key}`, 'Content-Length': 3_000_000 };
    const broken = request({ hostname, port, method: 'PUT', path: '/v1/files/failed/broken.bin', headers });
    broken.on('error', () => {}).write(Buffer.alloc(1_000_000));
    const inProgress = async () =>
      (await service.call<{ uploads_in_progress: number }>('GET', '/v1/stats')).response.uploads_in_progress;
    await expect.poll(inProgress).toBe(1);
    broken.destroy();
    const events = () => receiver.to(path).map(({ event }) => event.data.upload);
    await expect.poll(() => events().length).toBe(4);
    const codes = Object.fromEntries(events().map((upload) => [upload.path.replace(/-[a-z0-9]{14}\./, '.'), upload.code]));
    expect(codes).toMatchObject({ 'failed/small.txt': 'CHECKSUM_MISMATCH', 'failed/token.txt': 'CHECKSUM_MISMATCH' });
    expect(codes['failed/tus.txt']).toBe('INTERRUPTED');
    expect(codes['failed/broken.bin']).toBeDefined();
  });

  it('signs with both secrets after a rotation, until the overlap ends', async () => {
    const webhook = await create();
    const rotate = (body?: object) => service.call<CreatedWebhook>('POST', `/v1/webhooks/${webhook.id}/rotate`, body && { body });
    const { response: rotated } = await rotate();
    expect(rotated.secret).not.toBe(webhook.secret);
    expect(rotated.previous_secret_expires_at).not.toBeNull();
    await service.put(`rotated-${count}`, 'x');
    await expect.poll(() => receiver.to(path).length).toBe(1);
    const { body, headers } = receiver.to(path)[0]!;
    for (const { secret } of [webhook, rotated]) await verifyWebhook({ body, headers }, { secret });
    await rotate({ overlap: 0 });
    await service.put(`rotated-again-${count}`, 'x');
    await expect.poll(() => receiver.to(path).length).toBe(2);
    expect(receiver.to(path)[1]!.headers['webhook-signature']).toMatch(/^v1,\S+$/);
    const stored = await withMetadata(service.dataDir, ({ db }) => db.selectFrom('webhooks').selectAll().execute());
    expect(JSON.stringify(stored)).not.toContain(rotated.secret.slice(6, 30));
  });

  it('is refused for an internal address, a credential in the URL, and beyond ten', async () => {
    const refused = async (url: string) => (await service.call('POST', '/v1/webhooks', { body: { url, events: ALL } })).error;
    for (const url of ['http://10.0.0.1/', 'http://169.254.169.254/', 'https://user:pw@example.org/', 'gopher://x/'])
      expect([url, await refused(url)]).toMatchObject([url, { code: 'VALIDATION_ERROR', path: 'url' }]);
    for (let index = 0; index < 10; index++) await create();
    expect(await refused('https://example.org/')).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { reason: 'too_many_webhooks', limit: 10 },
    });
  });

  it('reports a name that resolves to an internal address, without a request', async () => {
    const { id } = await create({ url: `http://localhost:${new URL(receiver.url).port}${path}` });
    await service.put(`dns-${count}`, 'x');
    await expect.poll(async () => (await deliveries(id)).deliveries[0]?.attempts.length).toBe(1);
    const { error } = (await deliveries(id)).deliveries[0]!.attempts[0]!;
    expect(['unresolved', 'address_refused']).toContain(error);
    expect(receiver.to(path)).toEqual([]);
  });

  it('ends with the key that created it', async () => {
    const key = await service.newKey(['blob:read', 'blob:write']);
    const { id } = await create({}, key.secret);
    await changeKey(service.dataDir, key.id, { scopes: ['blob:write'] });
    await service.put(`without-scope-${count}`, 'x');
    expect(await read(id)).toMatchObject({ status: 'suspended', suspended_reason: 'permission' });
    const revoked = await service.service.core.keys.revoke('main', key.id);
    expect(revoked!.webhooks).toEqual([{ id, url: receiver.url + path }]);
    expect((await service.call('GET', `/v1/webhooks/${id}`)).status).toBe(404);
    await service.put(`revoked-${count}`, 'x');
    await service.service.core.webhookRetention.sweep();
    const left = ({ db }: Parameters<Parameters<typeof withMetadata>[1]>[0]) =>
      db.selectFrom('webhook_deliveries').select('id').where('webhook_id', '=', id).execute();
    expect(await withMetadata(service.dataDir, left)).toEqual([]);
    expect(receiver.to(path)).toEqual([]);
  });

  it('is created by a key only with both scopes', async () => {
    const writer = await service.newKey(['blob:write']);
    const body = { url: 'https://example.org/', events: ALL };
    const { error } = await service.call('POST', '/v1/webhooks', { body, credential: writer.secret });
    expect(error).toMatchObject({ code: 'API_KEY_SCOPE_DENIED', details: { required: 'blob:read' } });
  });

  it('writes no row without a webhook for the event', async () => {
    const { id } = await create({ events: ['file.deleted'] });
    await service.put(`unwatched-${count}`, 'x');
    await service.call('PATCH', `/v1/webhooks/${id}`, { body: { status: 'disabled', events: ALL } });
    await service.put(`disabled-${count}`, 'x');
    expect(await deliveries(id)).toEqual({ deliveries: [], cursor: null });
    expect((await read(id)).status).toBe('disabled');
  });
});

describe('deliveries', () => {
  it('are listed, inspected and repeated with the same id', async () => {
    const { id } = await create();
    for (const name of ['1', '2', '3']) await service.put(`listed-${count}/${name}`, 'x');
    await expect.poll(async () => (await deliveries(id, '?status=delivered')).deliveries.length).toBe(3);
    const page = await deliveries(id, '?limit=2');
    const rest = await deliveries(id, `?limit=2&cursor=${page.cursor}`);
    expect([...page.deliveries, ...rest.deliveries].length).toBe(3);
    expect(rest.cursor).toBeNull();
    const [last] = page.deliveries;
    expect(last).toMatchObject({ event: 'file.created', status: 'delivered', next_attempt_at: null });
    expect(last!.attempts).toMatchObject([{ status: 200, error: null }]);
    const address = `/v1/webhooks/${id}/deliveries/${last!.id}`;
    const detail = await service.call<DeliveryRecord & { payload: { type: string; data: object } }>('GET', address);
    const sent = receiver.to(path).find(({ headers }) => headers['webhook-id'] === last!.id)!;
    expect(detail.response.payload).toMatchObject({ type: 'file.created', timestamp: sent.event.timestamp });
    expect((await service.call('POST', `${address}/repeat`)).status).toBe(200);
    wake();
    await expect.poll(() => receiver.to(path).filter(({ headers }) => headers['webhook-id'] === last!.id).length).toBe(2);
    const { id: other } = await create();
    expect((await service.call('GET', `/v1/webhooks/${other}/deliveries/${last!.id}`)).status).toBe(404);
  });

  it('are retried for a day, then fail', async () => {
    const { id } = await create();
    receiver.respond = (response) => response.writeHead(302, { location: '/elsewhere' }).end();
    await service.put(`retried-${count}`, 'x');
    const { times, clock } = await failAllAttempts(id);
    expect(times.length).toBe(10);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(clock).toBeGreaterThan(0.9 * DAY);
    expect(clock).toBeLessThan(1.2 * DAY);
    expect(receiver.to('/elsewhere')).toEqual([]);
    expect((await read(id)).failing_since).not.toBeNull();
    receiver.respond = (response) => response.end();
    await service.call('POST', `/v1/webhooks/${id}/deliveries/${(await newest(id)).id}/repeat`);
    wake();
    await expect.poll(async () => (await newest(id)).status).toBe('delivered');
    expect((await read(id)).failing_since).toBeNull();
  });

  it('suspend a webhook when all attempts of one fail after five days without a success, until it is enabled', async () => {
    const { id } = await create();
    receiver.respond = (response) => response.writeHead(500).end();
    await service.put(`failing-${count}/1`, 'x');
    await failAllAttempts(id);
    expect((await read(id)).status).toBe('enabled');
    await service.advanceClock(5 * DAY);
    await service.put(`failing-${count}/2`, 'x');
    await failAllAttempts(id, 5 * DAY);
    await expect.poll(() => read(id)).toMatchObject({ status: 'suspended', suspended_reason: 'failing' });
    await service.put(`failing-${count}/3`, 'not recorded');
    expect((await deliveries(id)).deliveries.length).toBe(2);
    receiver.respond = (response) => response.end();
    const enabled = await service.call<WebhookRecord>('PATCH', `/v1/webhooks/${id}`, { body: { status: 'enabled' } });
    expect(enabled.response).toMatchObject({ status: 'enabled', suspended_reason: null, failing_since: null });
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    if (BACKEND !== 'replicas') expect(metrics).toMatch(/svc_webhooks_suspended_total\{reason="failing"\} 1/);
  });

  it('leave a webhook enabled that failed once five days ago and whose next delivery needs a retry', async () => {
    const { id } = await create();
    receiver.respond = (response) => response.writeHead(500).end();
    await service.put(`rare-${count}/1`, 'x');
    await failAllAttempts(id);
    await service.advanceClock(5 * DAY);
    await service.put(`rare-${count}/2`, 'x');
    await expect.poll(async () => (await newest(id)).attempts.length).toBe(1);
    receiver.respond = (response) => response.end();
    await service.advanceClock(5 * DAY + 60_000);
    wake();
    await expect.poll(async () => (await newest(id)).status).toBe('delivered');
    expect(await read(id)).toMatchObject({ status: 'enabled', failing_since: null });
  });

  it('suspend a webhook whose endpoint responds that it is gone', async () => {
    const { id } = await create();
    receiver.respond = (response) => response.writeHead(410).end();
    await service.put(`gone-${count}`, 'x');
    await expect.poll(() => read(id)).toMatchObject({ status: 'suspended', suspended_reason: 'gone' });
  });

  it('are bounded: by age, by number, and by a suspension for a backlog', async () => {
    const { id } = await create();
    for (const name of ['1', '2', '3']) await service.put(`kept-${count}/${name}`, 'x');
    await expect.poll(async () => (await deliveries(id, '?status=delivered')).deliveries.length).toBe(3);
    const retention = (limits: object) =>
      withMetadata(service.dataDir, (metadata) =>
        new WebhookRetention(metadata, () => service.service.core.now(), limits).sweep(),
      );
    await retention({ maxSettled: 3 });
    expect((await deliveries(id)).deliveries.length).toBe(3);
    await retention({ maxSettled: 1 });
    expect((await deliveries(id)).deliveries.length).toBeLessThan(3);
    receiver.respond = (response) => response.writeHead(500).end();
    for (const name of ['4', '5']) await service.put(`kept-${count}/${name}`, 'x');
    await expect.poll(async () => (await deliveries(id, '?status=pending')).deliveries.length).toBe(2);
    await retention({ maxPending: 2 });
    expect((await read(id)).status).toBe('enabled');
    await retention({ maxPending: 1 });
    expect(await read(id)).toMatchObject({ status: 'suspended', suspended_reason: 'backlog' });
    await service.advanceClock(8 * DAY);
    await retention({});
    expect((await deliveries(id)).deliveries).toEqual([]);
  });

  it('are sent by one replica each, although all look for them', async () => {
    const { id } = await create({ prefix: `once-${count}` });
    await Promise.all(Array.from({ length: 60 }, (_, index) => service.put(`once-${count}/${index}`, 'x')));
    const leases = service.service.core.webhookLeases;
    await expect.poll(async () => (await deliveries(id, '?status=delivered&limit=100')).deliveries.length).toBe(60);
    expect(new Set(arrived()).size).toBe(60);
    expect(arrived().length).toBe(60);
    expect(await leases.take(id, 10)).toEqual([]);
  });
});

it('a stopping service gives the deliveries back that have no response yet', async () => {
  const hanging = `/hanging-${++count}`;
  receiver.respond = () => {};
  // No service runs on this data, so only the dispatcher below takes its deliveries.
  await withCore(async (core) => {
    const storage = (await core.accounts.mainStorage('main'))!;
    const { id } = await core.webhooks.create(storage, ADMIN_CREATOR, { url: receiver.url + hanging, events: ['file.created'] });
    await core.blobs.put(storage, 'hanging.txt', Readable.from([Buffer.from('x')]), {
      credential: { kind: 's3', id: (await core.s3Credentials.create('main', {})).id },
      size: 1,
    });
    const dispatcher = new Dispatcher({
      leases: core.webhookLeases,
      webhooks: core.webhooks,
      client: core.outbound,
      render: () => ({}) as FileRecord,
      stopWithin: 0,
      now: core.now,
      onAttempt: () => expect.unreachable('the attempt must be interrupted'),
      onFailure: (cause) => expect.unreachable(String(cause)),
    });
    dispatcher.start();
    await expect.poll(() => receiver.to(hanging).length).toBe(1);
    expect(await core.webhookLeases.take(id, 1)).toEqual([]);
    await dispatcher.stop();
    expect(await core.webhookLeases.take(id, 1)).toMatchObject([{ status: 'pending', attempts: 0 }]);
  });
});

/**
 * Moves the clock to each retry of the newest delivery of a webhook until all its attempts have failed.
 * @param clock how far the clock of the service is ahead, ms
 * @returns the times of the retries, and how far the clock is ahead afterwards
 */
async function failAllAttempts(id: string, clock = 0): Promise<{ times: number[]; clock: number }> {
  const times: number[] = [];
  for (let attempt = 1; ; attempt++) {
    await expect.poll(async () => (await newest(id)).attempts.length).toBe(attempt);
    const { status, next_attempt_at } = await newest(id);
    if (status === 'failed') return { times, clock };
    expect(status).toBe('pending');
    times.push(Date.parse(next_attempt_at!));
    clock += Date.parse(next_attempt_at!) - service.service.core.now() + 1000;
    await service.advanceClock(clock);
    wake();
  }
}

async function withCore(work: (core: Core) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-webhooks-'));
  const core = await openCore({ dataDir, ...(await storageFor(dataDir)), outboundAllow: ['127.0.0.1'] });
  try {
    await work(core);
  } finally {
    await core.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}
