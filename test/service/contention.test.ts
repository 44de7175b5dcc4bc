import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storageFor } from './backend.js';
import { TestService } from './support.js';
import type { Answer } from './support.js';
import { TusWire } from './tus-wire.js';

/** Each way of storing takes several locks; in two orders they would wait for one another, and PostgreSQL would undo one after a second. */
let service: TestService;
let databaseUrl: string | undefined;
beforeAll(async () => {
  service = await TestService.start({ quotaBytes: 10_000_000_000 });
  ({ databaseUrl } = await storageFor(service.dataDir));
});
let stopped = false;
afterAll(() => (stopped ? undefined : service.stop()));

const wire = new TusWire(() => service);
const AT_ONCE = 20;

/** @returns the statuses that came, each once. */
async function atOnce(work: (index: number) => Promise<Pick<Answer, 'status'>>): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => work(index)));
  return [...new Set(answers.map((answer) => answer.status))].toSorted();
}

describe('with a quota, at once', () => {
  it('resumable uploads begin and whole ones come on one token', async () => {
    const { token } = await service.mint({ prefix: 'mixed', max_uses: 2 * AT_ONCE });
    const statuses = await atOnce((index) =>
      index % 2 === 0
        ? service.upload('whole', 'whole.txt', { credential: token })
        : wire.create({ length: 5, describe: { filename: 'piece.bin' }, credential: token }),
    );
    expect(statuses).toEqual([201]);
  });
});

it('none of it ends in a deadlock', async () => {
  await service.stop();
  stopped = true;
  if (databaseUrl === undefined) return;
  // What a connection counted is told by its end at the latest.
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query<{ deadlocks: string }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  await client.end();
  expect(rows[0]!.deadlocks).toBe('0');
});
