import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openCore } from '../../server/service/core.js';
import type { Core } from '../../server/service/core.js';
import type { Storage } from '../../server/service/identity/credential.js';
import { SYSTEM_CREATOR } from '../../server/service/identity/creator.js';
import type { Job, JobSpec } from '../../server/service/storage/jobs/job.js';
import { storageFor } from './backend.js';
import { insertFiles } from './insert-files.js';

let dataDir: string;
let core: Core;
let storage: Storage;
/** Changed files of each transaction. */
let batches: number[] = [];
let onBatch: (() => void) | undefined;
let stop: () => Promise<void>;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-turns-'));
  core = await openCore({ dataDir, ...(await storageFor(dataDir)) });
  storage = (await core.accounts.mainStorage('main'))!;
  stop = core.blobs.jobs.start({
    isAlone: true,
    onProgress({ done, state }) {
      if (state === undefined) batches.push(done);
      onBatch?.();
    },
    onFailure: (cause) => {
      throw cause;
    },
  });
});
afterAll(async () => {
  await stop();
  await core.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** Runs a job. @returns the changed files of each transaction. */
async function run(spec: JobSpec): Promise<number[]> {
  batches = [];
  const { id } = await core.blobs.jobs.create(storage, spec, SYSTEM_CREATOR);
  const state = async () => (await core.blobs.jobs.get(storage, id))!.state;
  await expect.poll(state, { timeout: 60_000 }).toBe('done');
  return batches;
}

it('a job saves its position after a limited number of skipped folders', async () => {
  await insertFiles(core, { prefix: 'folders/', count: 1300 });
  await core.write((query) => sql`update files set key = key || '/file' where key like 'folders/%'`.execute(query));
  expect(await run({ type: 'delete', source: { search: { prefix: 'folders/', direct: true, name: 'f' } } })).toEqual([0, 0]);
});

it('a job changes files of a replica whose clock is ahead, but not its own copies', async () => {
  await insertFiles(core, { prefix: 'ahead/', count: 2, updatedAt: core.now() + 500 });
  expect(await run({ type: 'copy', source: { prefix: 'ahead/' }, to: 'ahead/copy/' })).toEqual([2]);
});

it('a cancelled job changes no further file', async () => {
  await insertFiles(core, { prefix: 'cancelled/', count: 2000 });
  const spec = { type: 'move', source: { prefix: 'cancelled/' }, to: 'elsewhere/' } as const;
  const { id } = await core.blobs.jobs.create(storage, spec, SYSTEM_CREATOR);
  const { done } = await new Promise<Job>((resolve) => {
    onBatch = () => resolve(core.blobs.jobs.cancel(storage, id, SYSTEM_CREATOR));
  });
  onBatch = undefined;
  // The service works on this job after the turn of the cancelled one.
  await run({ type: 'delete', source: { prefix: 'none/' } });
  expect(await core.blobs.jobs.get(storage, id)).toMatchObject({ state: 'cancelled', done });
  expect(done).toBeLessThan(2000);
});

it('a job replaces a few files at a time if they have thousands of parts', async () => {
  for (const prefix of ['parts/', 'replaced/']) await insertFiles(core, { prefix, count: 4 });
  const segments = JSON.stringify(Array.from({ length: 60_000 }, () => ['blob_0', 1]));
  await core.write((query) =>
    query.updateTable('files').set({ segments_json: segments }).where('key', 'like', 'replaced/%').execute(),
  );
  const spec = { type: 'move', source: { prefix: 'parts/' }, to: 'replaced/', overwrite: true } as const;
  expect(await run(spec)).toEqual([1, 1, 1, 1]);
});

it('an account keeps a limited number of records', async () => {
  await run({ type: 'delete', source: { prefix: 'none/' } });
  const columns = sql.raw(
    `account_id, bucket_id, type, state, spec_json, snapshot_at, creator_json, done, failed, failures_json, failed_turns, turn_at,
      finished_at`,
  );
  await core.write((query) =>
    sql`insert into jobs (id, created_at, ${columns})
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 1000)
      select 'old_' || n, n, ${columns} from numbers, (select * from jobs limit 1) as job`.execute(query),
  );
  await run({ type: 'delete', source: { prefix: 'none/' } });
  const { count } = await core.write((query) =>
    query
      .selectFrom('jobs')
      .select(({ fn }) => fn.countAll().as('count'))
      .executeTakeFirstOrThrow(),
  );
  expect(Number(count)).toBe(1000);
});
