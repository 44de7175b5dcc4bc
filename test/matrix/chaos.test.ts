// Starts early: causes failures for minutes.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { openCore } from '../../server/service/core.js';
import { blobsIn } from '../service/backend.js';
import { installFaketime, fakeClockVariables } from '../support/fake-clock.js';
import { startPostgres } from '../support/postgres.js';
import type { PostgresServer } from '../support/postgres.js';
import { ChaosClients } from './chaos-clients.js';
import type { StoredFile } from './chaos-files.js';
import { ChaosFailures } from './chaos-failures.js';
import { Replicas } from './replicas.js';
import type { Replica } from './replicas.js';

/** `CHAOS_SECONDS=1200` runs longer, `CHAOS_KINDS="store|paused"` selects failures. */
const SECONDS = Number(process.env['CHAOS_SECONDS'] ?? 60);
const KINDS = process.env['CHAOS_KINDS'];
/** Milliseconds after which uploads of a dead replica are gone. */
const CLEANED_WITHIN = 300_000;
let folder: string;
let postgres: PostgresServer;
let replicas: Replicas;
let clocks: string[] | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-chaos-'));
  if (installFaketime()) clocks = [0, 1].map((index) => join(folder, `clock-${index}`));
  for (const clock of clocks ?? []) await writeFile(clock, '+0\n');
  // Its crashes end the connections of all databases, which tests in other files use at the same time.
  postgres = await startPostgres();
  process.env['TEST_DATABASE_URL'] = postgres.url;
  const env = (index: number) => (clocks ? fakeClockVariables(clocks[index]!) : {});
  replicas = await Replicas.start(2, { quotaBytes: 50_000_000_000, storeTimeout: 5, env, log: true });
});
afterAll(async () => {
  await replicas.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

it(
  'two replicas keep every acknowledged file through failures of processes, database, store and clocks',
  // The test stops the replicas at its end, so a second attempt would find none.
  { timeout: SECONDS * 1000 + 2 * CLEANED_WITHIN, retry: 0 },
  async () => {
    const failures = new ChaosFailures(replicas, clocks);
    const clients = new ChaosClients(replicas, await replicas.newPair(), () => [...failures.active].join(' and ') || 'nothing');
    const running = clients.run();
    await failures.run(SECONDS * 1000, KINDS);
    for (const { process } of replicas.all)
      await expect.poll(async () => (await fetch(`${process.url}/readyz`).catch(() => undefined))?.status).toBe(200);
    clients.stop();
    await running;
    console.log(JSON.stringify({ failures: failures.counts, clients: clients.counts }, undefined, 2));

    // Both replicas return every acknowledged file.
    for (const [index, file] of clients.files.entries()) {
      const replica = replicas.all[index % 2] as Replica;
      await expect.poll(() => clients.check(file, file.state, replica)).toBe(true);
    }
    const admin = new pg.Client({ connectionString: replicas.storage.databaseUrl });
    await admin.connect();
    onTestFinished(() => admin.end());
    const count = async (sql: string) =>
      Number((await admin.query<{ count: string }>(`select count(*) from ${sql}`)).rows[0]!.count);
    const poll = { timeout: CLEANED_WITHIN, interval: 1000 };
    // Ended uploads hold no quota, use or key.
    await expect.poll(() => count('reservations'), poll).toBe(0);
    expect(
      await count(`idempotency i where result_json is null and not exists
        (select from resumables r where r.idempotency_id = i.id and r.file_json is null)`),
    ).toBe(0);
    for (const { id, stored, prefix } of clients.tokens) {
      const files = await admin.query<{ key: string }>('select key from files where key like $1', [`${prefix}/%`]);
      const keys = files.rows.map(({ key }) => key);
      // The end of the test interrupts deletions, whose files may still be there.
      const isDeleted = ({ path, state }: StoredFile) => state === 'deleted' || (state === 'unknown' && !keys.includes(path));
      const deleted = clients.files.filter((file) => file.path.startsWith(`${prefix}/`) && isDeleted(file)).length;
      const { rows } = await admin.query<{ uses: string }>('select uses from upload_tokens where id = $1', [id]);
      expect([Number(rows[0]!.uses), keys.length <= 1, stored <= 1], prefix).toEqual([keys.length + deleted, true, true]);
    }
    await expect.poll(() => count('blobs where refs <= 0'), poll).toBe(0);
    const sums = `select (select coalesce(sum(size), 0) from files) = (select sum(bytes) from usage) as bytes,
      (select count(*) from files) = (select sum(files) from usage) as files`;
    expect((await admin.query<{ bytes: boolean; files: boolean }>(sums)).rows).toEqual([{ bytes: true, files: true }]);

    for (const { process } of replicas.all) expect(await process.end('SIGTERM')).toBe(0);
    const blobs = async () => (await admin.query<{ id: string }>('select id from blobs')).rows.map(({ id }) => id);
    const known = new Set(await blobs());
    const { store, databaseUrl } = replicas.storage;
    const unknown = (await blobsIn(store!)).filter((id) => !known.has(id));
    console.log(
      `${clients.files.length} files were acknowledged. Blobs without a row, which are deleted after a day: ${unknown.length}`,
    );
    const core = await openCore({ dataDir: folder, databaseUrl, store: store! });
    await core.blobs.sweepOrphans({ aloneSince: Date.now() + 60_000 });
    const damages: unknown[] = [];
    await core.blobs.scrub((damage) => damages.push(damage));
    await core.close();
    expect(damages).toEqual([]);
    expect((await blobsIn(store!)).toSorted()).toEqual((await blobs()).toSorted());
    expect([...failures.violations, ...clients.violations]).toEqual([]);
  },
);
