import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileRecord } from '../../src/protocol/types.js';
import { storageFor } from './backend.js';
import { TestService } from './support.js';
import type { ServiceResponse } from './support.js';
import { TusClient } from './tus-client.js';

// Each way of storing takes several locks. If two requests took them in different orders, PostgreSQL would end one of them as a deadlock.
let service: TestService;
let databaseUrl: string | undefined;
beforeAll(async () => {
  service = await TestService.start({ quotaBytes: 10_000_000_000 });
  ({ databaseUrl } = await storageFor(service.dataDir));
});
let isStopped = false;
afterAll(() => (isStopped ? undefined : service.stop()));

const tusClient = new TusClient(() => service);
const PARALLEL = 20;

/** Runs requests in parallel. @returns their statuses without repetitions, sorted. */
async function runInParallel(work: (index: number) => Promise<Pick<ServiceResponse, 'status'>>): Promise<number[]> {
  const httpResponses = await Promise.all(Array.from({ length: PARALLEL }, (_, index) => work(index)));
  return [...new Set(httpResponses.map(({ status }) => status))].toSorted();
}

describe('parallel requests in an account with a quota', () => {
  it('begin resumable uploads and store files with one token', async () => {
    const { token } = await service.mint({ prefix: 'mixed', max_uses: 2 * PARALLEL });
    const statuses = await runInParallel((index) =>
      index % 2 === 0
        ? service.upload('whole', 'whole.txt', { credential: token })
        : tusClient.create({ length: 5, describe: { filename: 'piece.bin' }, credential: token }),
    );
    expect(statuses).toEqual([201]);
  });

  it('replace a file by forms and copy it', async () => {
    const { response } = await service.put('hot.txt', 'hot');
    const statuses = await runInParallel((index) =>
      index % 2 === 0
        ? service.upload('again', 'hot.txt', { fields: { path: 'hot.txt', overwrite: 'true' } })
        : sendTo('copy', response.id, `copies/${index}.txt`),
    );
    expect(statuses).toEqual([201]);
  });

  it('copy two files over each other', async () => {
    const { x, y } = await createTwoFiles('copied');
    const statuses = await runInParallel((index) =>
      index % 2 === 0 ? sendTo('copy', x.id, y.path) : sendTo('copy', y.id, x.path),
    );
    expect(statuses).toEqual([200]);
  });

  it('replace copies of two files that share bytes', async () => {
    const { x, y } = await createTwoFiles('shared');
    const others = await Promise.all([x, y].map(({ id }, index) => sendTo('copy', id, `shared/other-${index}`)));
    const [x2, y2] = others.map(({ response }) => response) as [FileRecord, FileRecord];
    const turns = [
      () => sendTo('copy', x.id, y.path),
      () => sendTo('copy', y2.id, x2.path),
      () => sendTo('copy', x2.id, y2.path),
    ];
    expect(await runInParallel((index) => turns[index % turns.length]!())).toEqual([200]);
  });

  it('move two files over each other, and one file stays', async () => {
    const { x, y } = await createTwoFiles('moved');
    const statuses = await runInParallel((index) =>
      index % 2 === 0 ? sendTo('move', x.id, y.path) : sendTo('move', y.id, x.path),
    );
    expect(statuses).toEqual([200, 404]);
    expect((await service.paths()).filter((path) => path.startsWith('moved/'))).toHaveLength(1);
  });

  it('move files to a path at which another file is created', async () => {
    for (let round = 0; round < 3; round++) {
      const sources = await Promise.all(
        Array.from({ length: PARALLEL }, (_, index) => service.put(`from/${round}/${index}`, 'x')),
      );
      const statuses = await runInParallel((index) =>
        index % 2 === 0
          ? service.put(`made/${round}`, 'y')
          : service.call('POST', `/v1/files/${sources[index]!.response.id}/move`, { body: { path: `made/${round}` } }),
      );
      expect([200, 201].filter((status) => statuses.includes(status))).toHaveLength(1);
      expect(statuses.filter((status) => status !== 200 && status !== 201)).toEqual([409]);
    }
  });

  it('delete and copy many files that share bytes', async () => {
    const { x, y } = await createTwoFiles('many');
    const created = await Promise.all(
      Array.from({ length: 2 * PARALLEL }, (_, index) => sendTo('copy', [y, x][index % 2]!.id, `many/${index}.txt`)),
    );
    const ids = created.map(({ response }) => response.id);
    const statuses = await runInParallel((index) =>
      index % 2 === 0
        ? service.call('POST', '/v1/files/delete', { body: { ids: ids.slice(2 * index, 2 * index + 4) } })
        : sendTo('copy', [x, y][(index >> 1) % 2]!.id, `many/again-${index}.txt`),
    );
    expect(statuses).toEqual([200, 201]);
  });
});

const sendTo = (action: 'copy' | 'move', id: string, path: string) =>
  service.call<FileRecord>('POST', `/v1/files/${id}/${action}`, { body: { path, overwrite: true } });

async function createTwoFiles(folder: string): Promise<{ x: FileRecord; y: FileRecord }> {
  const [x, y] = await Promise.all(['x', 'y'].map((name) => service.put(`${folder}/${name}`, name)));
  return { x: x!.response, y: y!.response };
}

it('parallel requests cause no deadlock', async () => {
  await service.stop();
  isStopped = true;
  if (databaseUrl === undefined) return;
  // A connection reports its deadlocks at the latest when it ends.
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query<{ deadlocks: string }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  await client.end();
  expect(rows[0]!.deadlocks).toBe('0');
});
