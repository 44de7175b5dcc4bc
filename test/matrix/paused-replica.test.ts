import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Replicas } from './replicas.js';
import type { Replica } from './replicas.js';
import { countWaiting } from '../support/count-waiting.js';

/** Milliseconds. Longer than an idle transaction keeps its locks, and shorter than clients wait. */
const PATIENCE = 60_000;
/** Number of the advisory lock. */
const RESERVATION_LOCK = 4711;

describe('a replica that is paused while its transaction locks the account', () => {
  let replicas: Replicas;
  let paused: Replica;
  let other: Replica;
  beforeAll(async () => {
    replicas = await Replicas.start(2, { quotaBytes: 1_000_000_000, log: true });
    [paused, other] = replicas.all as [Replica, Replica];
    // Inserts into reservations wait for the lock.
    await replicas.admin.query(`create function block_reservation() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock_shared(${RESERVATION_LOCK}); return new; end'`);
    await replicas.admin.query(
      'create trigger block_reservation before insert on reservations for each row execute function block_reservation()',
    );
  });
  afterAll(() => replicas.stop());

  const waiting = (event: string) => countWaiting(replicas.admin, event);

  it('delays others for seconds, loses its transaction, and serves again after the pause', async () => {
    const { admin } = replicas;
    const headers = { 'Idempotency-Key': 'of-the-paused-replica-0001' };
    await admin.query(`select pg_advisory_lock(${RESERVATION_LOCK})`);
    const lost = replicas.put(paused, 'lost.txt', 'from the paused replica', { headers }).catch(() => undefined);
    await expect.poll(() => waiting('advisory')).toBe(1);
    paused.process.pause();
    await admin.query(`select pg_advisory_unlock(${RESERVATION_LOCK})`);
    const idle = `select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`;
    await expect.poll(async () => (await admin.query(idle)).rowCount).toBe(1);

    // More writers than connections. All need the row of the account.
    const keys = Array.from({ length: 40 }, (_, index) => `of-a-waiting-writer-${String(index).padStart(4, '0')}`);
    const began = performance.now();
    const write = (key: string) => replicas.put(other, `${key}.txt`, key, { headers: { 'Idempotency-Key': key } });
    const writing = Promise.all(keys.map(write));
    // If the test fails first, the end of the replica breaks these requests.
    writing.catch(() => {});
    // Reads and readiness do not wait for them. A read that has to wait for a connection fails after 8 seconds.
    for (let round = 0; round < 10; round++) {
      const read = await replicas.call(other, 'GET', '/v1/files?limit=10');
      expect([read.status, read.took < PATIENCE]).toEqual([200, true]);
      expect((await fetch(`${other.process.url}/readyz`)).status).toBe(200);
    }
    const outcomes = await writing;
    expect(performance.now() - began).toBeLessThan(PATIENCE);
    for (const { status, code, headers: responseHeaders } of outcomes.filter(({ status }) => status !== 201)) {
      expect([status, code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
      expect(Number(responseHeaders.get('retry-after'))).toBeGreaterThan(0);
    }
    const log = await replicas.logOf(other);
    if (outcomes.some(({ status }) => status === 503))
      expect(log).toMatch(/canceling statement due to lock timeout|No connection to the database became free/);
    expect(log).not.toContain('"msg":"not ready"');
    // Retries succeed, because the server has ended the transaction.
    for (const key of keys) await expect.poll(async () => (await write(key)).status).toBe(201);
    expect(await replicas.paths(other)).toHaveLength(keys.length);

    paused.process.resume();
    // The transaction of the paused replica is not acknowledged.
    expect((await lost)?.status).toBe(503);
    // A replica that was paused for longer than it waits for the database notices that first.
    expect(await replicas.logOf(paused)).toMatch(
      /terminating connection due to idle-in-transaction timeout|The database did not respond within/,
    );
    expect(await replicas.paths(other)).not.toContain('lost.txt');
    const again = () => replicas.put(paused, 'lost.txt', 'from the paused replica', { headers });
    await expect.poll(async () => (await again()).status).toBe(201);
    expect((await replicas.paths(other)).filter((path) => path === 'lost.txt')).toHaveLength(1);
    const held = await admin.query('select from reservations');
    expect(held.rowCount).toBe(0);
    // Both stop without an error.
    for (const { process } of replicas.all) expect(await process.end('SIGTERM')).toBe(0);
  });
});
