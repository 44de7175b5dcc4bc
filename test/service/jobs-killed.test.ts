import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { openCore } from '../../server/service/core.js';
import { SYSTEM_CREATOR } from '../../server/service/identity/creator.js';
import { setClock } from '../support/database-clock.js';
import { storageFor } from './backend.js';
import { insertFiles } from './insert-files.js';

const FILES = 3000;
/** Longer than a killed process keeps its job. */
const LEASE_ENDED_MS = 30_000;
/** Batches after which the process is killed. */
const BATCHES = 3;

const dataDir = await mkdtemp(join(tmpdir(), 'svc-jobs-'));
afterAll(() => rm(dataDir, { recursive: true, force: true }));

it('a job whose process is killed continues in another process and changes each file once', async () => {
  const storageOptions = await storageFor(dataDir);
  const open = () => openCore({ dataDir, ...storageOptions });
  const before = await open();
  const storage = (await before.accounts.mainStorage('main'))!;
  await insertFiles(before, { prefix: 'from/', count: FILES });
  // A copy that ran twice would find its own files and fail.
  const { id } = await before.blobs.jobs.create(
    storage,
    { type: 'copy', source: { prefix: 'from/' }, to: 'to/' },
    SYSTEM_CREATOR,
  );
  await before.close();

  const script = fileURLToPath(new URL('run-jobs.ts', import.meta.url));
  const { databaseUrl = '', store = '' } = storageOptions;
  const child = fork(script, [dataDir, databaseUrl, store], { execArgv: ['--import', 'tsx'] });
  for (let batch = 0; batch < BATCHES; batch++) {
    const [message] = (await once(child, 'message')) as [{ done?: number }];
    expect(message).toMatchObject({ done: expect.any(Number) });
  }
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;

  if (databaseUrl !== '') await setClock(databaseUrl, LEASE_ENDED_MS);
  const after = await open();
  const job = () => after.blobs.jobs.get(storage, id);
  const interrupted = (await job())!;
  expect(interrupted.state).toBe('running');
  expect(interrupted.done).toBeGreaterThan(0);
  expect(interrupted.done).toBeLessThan(FILES);
  const failures: unknown[] = [];
  const stop = after.blobs.jobs.start({ isAlone: databaseUrl === '', onFailure: (cause) => failures.push(cause) });
  await expect.poll(async () => (await job())!.state, { timeout: 150_000 }).toBe('done');
  expect(await job()).toMatchObject({ done: FILES, failed: 0, total: FILES });
  expect((await after.blobs.usage('main')).files).toBe(2 * FILES);
  expect(failures).toEqual([]);
  await stop();
  await after.close();
}, 300_000);
