import { afterAll, beforeAll, expect, it } from 'vitest';
import { Replicas } from './replicas.js';
import type { Replica } from './replicas.js';

/** Milliseconds between two checks of the load balancer. */
const ASK_EVERY = 200;

let replicas: Replicas;
beforeAll(async () => {
  replicas = await Replicas.start(2, { env: { DRAIN_SECONDS: '6' } });
});
afterAll(() => replicas.stop());

/** Sends requests like a load balancer to the replicas that were ready at the last check. */
function balance(all: Replica[]) {
  let ready = all;
  const asking = setInterval(async () => {
    const responses = await Promise.all(all.map(({ process }) => fetch(`${process.url}/readyz`).catch(() => undefined)));
    ready = all.filter((_, index) => responses[index]?.ok);
  }, ASK_EVERY);
  let turn = 0;
  return { next: () => ready[turn++ % ready.length]!, close: () => clearInterval(asking) };
}

it('a replica that stops under load fails no request and blocks no later upload', async () => {
  const [stopping, other] = replicas.all as [Replica, Replica];
  const balancer = balance(replicas.all);
  const headers = { 'Idempotency-Key': 'of-the-upload-without-an-end' };
  const endless = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(new Uint8Array(10)) });
  const interrupted = replicas.put(stopping, 'interrupted.txt', endless, { headers }).catch(() => undefined);
  await expect.poll(async () => (await replicas.admin.query('select from reservations')).rowCount).toBe(1);

  const stopped = new AbortController();
  const statuses: number[] = [];
  const paths: string[] = [];
  const load = async (worker: number) => {
    for (let round = 0; !stopped.signal.aborted; round++) {
      const path = `load/${worker}/${round}.txt`;
      const { status } = await replicas.put(balancer.next(), path, path);
      statuses.push(status);
      paths.push(path);
    }
  };
  const loads = Array.from({ length: 6 }, (_, worker) => load(worker));
  await expect.poll(() => statuses.length).toBeGreaterThan(50);
  const ended = stopping.process.end('SIGTERM');
  // Both ports still respond, and announce the end of each connection.
  const { url, s3Url } = stopping.process;
  await expect.poll(() => replicas.ready(stopping)).toBe(503);
  for (const address of [`${url}/healthz`, `${s3Url}/main/a`])
    expect((await fetch(address)).headers.get('connection')).toBe('close');
  expect(await replicas.ready(other)).toBe(200);
  expect(await ended).toBe(0);
  stopped.abort();
  await Promise.all(loads);
  balancer.close();
  expect(statuses.filter((status) => status !== 201)).toEqual([]);
  expect(await replicas.paths(other)).toEqual(paths.toSorted().slice(0, 1000));

  await interrupted;
  // No row says that the interrupted upload still runs.
  expect((await replicas.put(other, 'interrupted.txt', 'whole', { headers })).status).toBe(201);
});
