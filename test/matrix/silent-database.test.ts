import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Replicas } from './replicas.js';
import type { Replica } from './replicas.js';

/** Milliseconds after which a request counts as hanging. */
const PATIENCE = 60_000;
/** Milliseconds that process managers grant before they kill. */
const STOPPED_WITHIN = 40_000;

describe('a network that drops all packets between one replica and the database', () => {
  let replicas: Replicas;
  let replica: Replica;
  let other: Replica;
  beforeEach(async () => {
    // With a quota, every upload locks the row of the account.
    replicas = await Replicas.start(2, { quotaBytes: 1_000_000_000, log: true });
    [replica, other] = replicas.all as [Replica, Replica];
  });
  afterEach(() => replicas.stop());

  it('gives 503 instead of a hang, and delays the other replica by seconds at most', async () => {
    expect((await replicas.put(replica, 'before.txt', 'before')).status).toBe(201);
    replica.relay.silence();
    const calls = Array.from({ length: 30 }, (_, index) =>
      index % 2 === 0
        ? replicas.put(replica, `during-${index}.txt`, 'during')
        : replicas.call(replica, 'GET', '/v1/files?limit=10'),
    );
    // Transactions of the silent replica lock the account until the server ends them.
    const key = { headers: { 'Idempotency-Key': 'of-the-upload-at-the-other' } };
    await expect.poll(async () => (await replicas.put(other, 'other.txt', 'other', key)).status).toBe(201);
    expect((await replicas.call(other, 'GET', '/v1/files?limit=10')).status).toBe(200);
    expect(await replicas.ready(other)).toBe(200);
    for (const { status, code, headers, took } of await Promise.all(calls)) {
      expect([status, code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(took).toBeLessThan(PATIENCE);
    }
    expect((await fetch(`${replica.process.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${replica.process.url}/healthz`)).status).toBe(200);
    const log = await replicas.logOf(replica);
    expect(log).toContain('The database did not respond within 25 seconds.');
    expect(log).toContain('No connection to the database became free within 8 seconds.');
    expect(log).toContain('"msg":"not ready"');
    const metrics = await (await fetch(`${replica.process.url}/metrics`)).text();
    expect(metrics).toMatch(/svc_errors_total\{code="SERVICE_UNAVAILABLE"\} [1-9]/);

    replica.relay.endSilence();
    await expect.poll(async () => (await fetch(`${replica.process.url}/readyz`)).status).toBe(200);
    await expect.poll(async () => (await replicas.put(replica, 'after.txt', 'after')).status).toBe(201);
    const paths = (await replicas.paths(replica)).filter((path) => !path.startsWith('during'));
    expect(paths).toEqual(['after.txt', 'before.txt', 'other.txt']);
  });

  it('does not keep a stopping process alive', async () => {
    expect((await replicas.put(replica, 'before.txt', 'before')).status).toBe(201);
    const calls = Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => replicas.put(replica, `during-${index}.txt`, 'during')),
    );
    replica.relay.silence();
    const began = performance.now();
    expect(await replica.process.end('SIGTERM')).toBe(0);
    expect(performance.now() - began).toBeLessThan(STOPPED_WITHIN);
    await calls;
    expect((await replicas.put(other, 'after.txt', 'after')).status).toBe(201);
  });
});
