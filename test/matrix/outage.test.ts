// Starts early: waits for clients to continue after outages.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Replicas } from './replicas.js';
import type { Replica } from './replicas.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

let replicas: Replicas;
let uploading: Replica;
let other: Replica;
beforeEach(async () => {
  replicas = await Replicas.start(2);
  [uploading, other] = replicas.all as [Replica, Replica];
});
afterEach(() => replicas.stop());

const countReservations = async () => (await replicas.admin.query('select from reservations')).rowCount;

describe('a long outage of the database, after which replicas count as dead,', () => {
  it('ends no running upload, even if the other replica returns first', async () => {
    const sent: string[] = [];
    let isOver = false;
    // A slow client sends one chunk a second, so that the upload runs through the whole outage.
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (sent.length > 0) await sleep(1000);
        if (isOver) return controller.close();
        sent.push(`line ${sent.length}\n`.repeat(1000));
        controller.enqueue(Buffer.from(sent.at(-1)!));
      },
    });
    const headers = { 'Idempotency-Key': 'of-the-upload-in-the-outage-1' };
    const running = replicas.put(uploading, 'slow.txt', body, { headers });
    await expect.poll(countReservations).toBe(1);

    const ports = replicas.all.map(({ relay }) => relay.port);
    for (const { relay } of replicas.all) await relay.refuse();
    const silent = `select from reservations where alive_at < extract(epoch from clock_timestamp()) * 1000 - 130000`;
    await expect.poll(async () => (await replicas.admin.query(silent)).rowCount, { timeout: 200_000, interval: 1000 }).toBe(1);
    await other.relay.accept(ports[1]!);
    await expect.poll(async () => (await fetch(`${other.process.url}/readyz`)).status).toBe(200);
    // The sweep runs every 30 seconds. Nothing shows that it ran, so the test waits for more than one interval.
    const until = performance.now() + 35_000;
    await expect.poll(() => performance.now() > until, { interval: 1000 }).toBe(true);
    expect(await countReservations()).toBe(1);

    await uploading.relay.accept(ports[0]!);
    await expect.poll(async () => (await fetch(`${uploading.process.url}/readyz`)).status).toBe(200);
    isOver = true;
    const { status, response } = await running;
    expect([status, response.sha256]).toEqual([201, sha256(sent.join(''))]);
    // The repeat goes to the other replica.
    const again = await replicas.put(other, 'slow.txt', sent.join(''), { headers });
    expect([again.status, again.response.id]).toEqual([201, response.id]);
    expect([await replicas.paths(other), await countReservations()]).toEqual([['slow.txt'], 0]);
  });
});

describe('a connection to the database that falls silent during COMMIT', () => {
  it('gives 503, and the repeat at another replica returns the stored file', async () => {
    const { admin } = replicas;
    await admin.query(
      `create function slowly() returns trigger language plpgsql as 'begin perform pg_sleep(8); return null; end'`,
    );
    await admin.query(`create constraint trigger slowly after insert on files
      deferrable initially deferred for each row execute function slowly()`);
    const committing = `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`;
    const headers = { 'Idempotency-Key': 'of-the-commit-that-is-silent' };
    const first = replicas.put(uploading, 'silent.txt', 'stored', { headers });
    await expect.poll(async () => (await admin.query(committing)).rowCount).toBe(1);
    uploading.relay.silence();
    await expect.poll(async () => (await admin.query('select from files')).rowCount).toBe(1);
    const repeat = await replicas.put(other, 'silent.txt', 'stored', { headers });
    expect(repeat.status).toBe(201);
    expect((await first).status).toBe(503);

    uploading.relay.endSilence();
    await expect.poll(async () => (await fetch(`${uploading.process.url}/readyz`)).status).toBe(200);
    const again = await replicas.put(uploading, 'silent.txt', 'stored', { headers });
    expect([again.status, again.response.id]).toEqual([201, repeat.response.id]);
    const content = await fetch(`${other.process.url}/v1/files/${repeat.response.id}/content`, {
      headers: { Authorization: `Bearer ${replicas.key}` },
    });
    expect(await content.text()).toBe('stored');
    expect([await replicas.paths(other), await countReservations()]).toEqual([['silent.txt'], 0]);
  });
});
