import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCore } from '../../server/service/core.js';
import { build } from '../../scripts/build.js';
import { freePorts } from '../support/ports.js';
import { BACKEND, blobsIn, roundRobin, storageFor } from './backend.js';
import { KillVerifier } from './kill-verifier.js';
import { Load } from './kill-load.js';
import type { Target } from './kill-load.js';
import { ServeProcess } from './support/serve-process.js';

/** Number of kills. Set `KILLS=100` for a longer run. */
const KILLS = Number(process.env['KILLS'] ?? 5);

describe.skipIf(BACKEND !== 'replicas')('two replicas with one database and one S3 store', () => {
  let dataDir: string;
  let storage: { databaseUrl: string; store: string };
  let replicas: ServeProcess[];
  let proxies: Awaited<ReturnType<typeof roundRobin>>[];
  let target: Target;
  const loads: Load[] = [];

  beforeAll(async () => {
    await build({ ifStale: true });
    dataDir = await mkdtemp(join(tmpdir(), 'svc-replicas-'));
    storage = (await storageFor(dataDir)) as typeof storage;
    const core = await openCore({ dataDir, ...storage });
    const { secret: key } = await core.keys.create('main', { name: 'kill', scopes: ['blob:read', 'blob:write'] });
    const { id, secret } = await core.s3Credentials.create('main', {});
    await core.close();
    const flags = ['--data-dir', dataDir, '--database-url', storage.databaseUrl, '--store', storage.store];
    const ports = await freePorts(4);
    replicas = [0, 2].map((index) => new ServeProcess(flags, [ports[index]!, ports[index + 1]!]));
    await Promise.all(replicas.map((replica) => replica.start()));
    proxies = [
      await roundRobin(replicas.map((replica) => replica.url)),
      await roundRobin(replicas.map((replica) => replica.s3Url)),
    ];
    const [rest, s3] = proxies.map((proxy) => proxy.url) as [string, string];
    target = { url: rest, key, s3: { url: s3, accessKeyId: id, secretAccessKey: secret } };
  }, 300_000);
  afterAll(async () => {
    for (const replica of replicas) await replica.end('SIGKILL');
    for (const proxy of proxies) await proxy.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  it.each(Array.from({ length: KILLS }, (_, index) => index + 1))(
    'continue to run when one is killed during mixed uploads (kill %i)',
    async () => {
      const load = new Load(target);
      loads.push(load);
      const running = load.run();
      await load.waitForResponses(randomInt(20));
      // The random delay makes the time of the kill arbitrary.
      await sleep(randomInt(300));
      load.stop();
      const killed = replicas[randomInt(2)]!;
      await killed.end('SIGKILL');
      await running;
      expect(load.failures).toEqual([]);
      await killed.start();
    },
    300_000,
  );

  it(
    'lose no acknowledged upload, keep no incomplete file, and leave no orphan after a sweep',
    async () => {
      const verifier = new KillVerifier(target);
      const attempts = loads.flatMap((load) => load.attempts);
      await verifier.expectCompleteFiles(attempts);
      // Both replicas stop regularly. Then a single process sweeps what the killed ones left.
      for (const replica of replicas) expect(await replica.end('SIGTERM')).toBe(0);
      await sweep();
      await Promise.all(replicas.map((replica) => replica.start()));
      await verifier.expectCompleteFiles([]);
      await verifier.expectOneFileEach(attempts, new Map(loads.flatMap((load) => [...load.tokens])));
      verifier.expectInterruptions();
      if (KILLS > 5) console.log(JSON.stringify(verifier.counts));

      for (const replica of replicas) expect(await replica.end('SIGTERM')).toBe(0);
      await sweep();
      const client = new pg.Client(storage.databaseUrl);
      await client.connect();
      const { rows } = await client.query<{ id: string; refs: number }>('select id, refs from blobs');
      await client.end();
      const inStore = await blobsIn(storage.store);
      expect(rows.every((row) => row.refs > 0)).toBe(true);
      expect(inStore.toSorted()).toEqual(rows.map((row) => row.id).toSorted());
    },
    300_000 + KILLS * 10_000,
  );

  async function sweep(): Promise<void> {
    const core = await openCore({ dataDir, ...storage });
    // The store dates its objects by its own clock, in whole seconds.
    const aloneSince = Date.now() + 60_000;
    await core.blobs.sweep({ aloneSince });
    await core.blobs.sweepOrphans({ aloneSince });
    await core.close();
  }
});
