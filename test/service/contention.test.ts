import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileRecord } from '../../src/protocol/types.js';
import { storageFor } from './backend.js';
import { TestService } from './support.js';
import type { Answer } from './support.js';
import { TusWire } from './tus-client.js';

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

  it('forms replace a file and others copy it', async () => {
    const { response } = await service.put('hot.txt', 'hot');
    const statuses = await atOnce((index) =>
      index % 2 === 0
        ? service.upload('again', 'hot.txt', { fields: { path: 'hot.txt', overwrite: 'true' } })
        : to('copy', response.id, `copies/${index}.txt`),
    );
    expect(statuses).toEqual([201]);
  });

  it('two files are copied over one another', async () => {
    const { x, y } = await pair('copied');
    const statuses = await atOnce((index) => (index % 2 === 0 ? to('copy', x.id, y.path) : to('copy', y.id, x.path)));
    expect(statuses).toEqual([200]);
  });

  it('copies of two files replace each other, whose bytes they share', async () => {
    const { x, y } = await pair('shared');
    const others = await Promise.all([x, y].map(({ id }, index) => to('copy', id, `shared/other-${index}`)));
    const [x2, y2] = others.map((answer) => answer.response) as [FileRecord, FileRecord];
    const turns = [() => to('copy', x.id, y.path), () => to('copy', y2.id, x2.path), () => to('copy', x2.id, y2.path)];
    expect(await atOnce((index) => turns[index % turns.length]!())).toEqual([200]);
  });

  it('two files are moved over one another: one stays', async () => {
    const { x, y } = await pair('moved');
    const statuses = await atOnce((index) => (index % 2 === 0 ? to('move', x.id, y.path) : to('move', y.id, x.path)));
    expect(statuses).toEqual([200, 404]);
    expect((await service.paths()).filter((path) => path.startsWith('moved/'))).toHaveLength(1);
  });

  it('files are moved to a path at which another is made', async () => {
    for (let round = 0; round < 3; round++) {
      const sources = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, index) => service.put(`from/${round}/${index}`, 'x')),
      );
      const statuses = await atOnce((index) =>
        index % 2 === 0
          ? service.put(`made/${round}`, 'y')
          : service.call('POST', `/v1/files/${sources[index]!.response.id}/move`, { body: { path: `made/${round}` } }),
      );
      expect([200, 201].filter((status) => statuses.includes(status))).toHaveLength(1);
      expect(statuses.filter((status) => status !== 200 && status !== 201)).toEqual([409]);
    }
  });

  it('many files that share bytes are deleted and copied', async () => {
    const { x, y } = await pair('many');
    const made = await Promise.all(
      Array.from({ length: 2 * AT_ONCE }, (_, index) => to('copy', [y, x][index % 2]!.id, `many/${index}.txt`)),
    );
    const ids = made.map((answer) => answer.response.id);
    const statuses = await atOnce((index) =>
      index % 2 === 0
        ? service.call('POST', '/v1/files/delete', { body: { ids: ids.slice(2 * index, 2 * index + 4) } })
        : to('copy', [x, y][(index >> 1) % 2]!.id, `many/again-${index}.txt`),
    );
    expect(statuses).toEqual([200, 201]);
  });
});

const to = (how: 'copy' | 'move', id: string, path: string) =>
  service.call<FileRecord>('POST', `/v1/files/${id}/${how}`, { body: { path, overwrite: true } });

async function pair(folder: string): Promise<{ x: FileRecord; y: FileRecord }> {
  const [x, y] = await Promise.all(['x', 'y'].map((name) => service.put(`${folder}/${name}`, name)));
  return { x: x!.response, y: y!.response };
}

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
