// Starts early: waits for deliveries to be repeated.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebhookLoad } from '../service/webhook-load.js';
import { WebhookReceiver } from '../service/webhook-receiver.js';
import { Replicas } from './replicas.js';

/** `WEBHOOK_EVENTS=10000` sends more. */
const EVENTS = Number(process.env['WEBHOOK_EVENTS'] ?? 2500);
const KILLS = 8;
/** Attempts of a process for one webhook at once. A kill repeats at most these. */
const MAX_REPEATED = 16;

let replicas: Replicas;
let receiver: WebhookReceiver;
let load: WebhookLoad;
beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  replicas = await Replicas.start(2, { env: { OUTBOUND_ALLOW: '127.0.0.1' } });
  load = new WebhookLoad(
    replicas.all.map((replica) => replica.process.url),
    replicas.key,
  );
  await load.createWebhook(receiver.url);
});
afterAll(async () => {
  await replicas.stop();
  receiver.close();
});

it('two replicas that are killed again and again, also both at once, send the event of every stored file', async () => {
  const running = load.run(EVENTS, 6);
  let killed = 0;
  for (let kill = 1; kill <= KILLS; kill++) {
    await load.waitForStored(Math.floor((EVENTS * kill) / (KILLS + 1)));
    const victims = kill % 4 === 0 ? replicas.all : [replicas.all[kill % 2]!];
    await Promise.all(victims.map(({ process }) => process.end('SIGKILL')));
    await Promise.all(victims.map(({ process }) => process.start()));
    killed += victims.length;
  }
  await running;
  expect(load.stored.size).toBe(EVENTS);
  // The leases of killed replicas end after 30 seconds.
  await expect.poll(() => load.missing(receiver).length, { timeout: 200_000 }).toBe(0);
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  const repeated = ids.length - new Set(ids).size;
  console.log(JSON.stringify({ events: load.stored.size, requests: ids.length, repeated, killed }));
  expect(repeated).toBeLessThanOrEqual(killed * MAX_REPEATED);
}, 1_800_000);
