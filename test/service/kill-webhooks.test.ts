import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openCore } from '../../server/service/core.js';
import { build } from '../../scripts/build.js';
import { freePorts } from '../support/ports.js';
import { ServeProcess } from './support/serve-process.js';
import { WebhookLoad } from './webhook-load.js';
import { WebhookReceiver } from './webhook-receiver.js';

/** `test/matrix/webhooks.test.ts` sends more events through kills of two replicas. */
const EVENTS = 300;
/** Attempts of a process for one webhook at once. A kill repeats at most these. */
const MAX_REPEATED = 16;

let dataDir: string;
let served: ServeProcess;
let receiver: WebhookReceiver;
let load: WebhookLoad;
beforeAll(async () => {
  await build({ ifStale: true });
  dataDir = await mkdtemp(join(tmpdir(), 'svc-webhooks-'));
  const core = await openCore({ dataDir });
  const { secret } = await core.keys.create('main', { name: 'kill', scopes: ['blob:read', 'blob:write'] });
  await core.close();
  const ports = (await freePorts(2)) as [number, number];
  served = new ServeProcess(['--data-dir', dataDir], ports, { env: { OUTBOUND_ALLOW: '127.0.0.1' } });
  receiver = await WebhookReceiver.start();
  load = new WebhookLoad([served.url], secret);
  await served.start();
  await load.createWebhook(receiver.url);
}, 300_000);
afterAll(async () => {
  await served.end('SIGKILL');
  receiver.close();
  await rm(dataDir, { recursive: true, force: true });
});

it('a service that is killed among uploads and deliveries sends the event of every stored file', async () => {
  const running = load.run(EVENTS, 4);
  await load.waitForStored(EVENTS / 2);
  await expect.poll(() => receiver.received.length).toBeGreaterThan(0);
  // These deliveries have begun, and get no response before the kill.
  receiver.respond = () => {};
  const before = receiver.received.length;
  await expect.poll(() => receiver.received.length > before || load.missing(receiver).length === 0).toBe(true);
  await served.end('SIGKILL');
  receiver.respond = (response) => response.end();
  await served.start();
  await running;
  expect(load.stored.size).toBe(EVENTS);
  await expect.poll(() => load.missing(receiver)).toEqual([]);
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(ids.length - new Set(ids).size).toBeLessThanOrEqual(MAX_REPEATED);
});
