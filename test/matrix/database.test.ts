import { once } from 'node:events';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openCore } from '../../server/service/core.js';
import type { FileRecord } from '../../src/protocol/types.js';
import { roundRobin } from '../service/backend.js';
import { Load } from '../service/kill-load.js';
import { usePostgres } from '../support/postgres.js';
import { Replicas } from './replicas.js';
import type { Replica } from './replicas.js';

const MIB = 1024 * 1024;
const TUS = { 'Tus-Resumable': '1.0.0' };
const KINDS = ['put', 'form', 'batch', 'tus'] as const;

let replicas: Replicas;
let one: Replica;
let two: Replica;
let closing: (() => Promise<unknown>)[];
beforeEach(async () => {
  replicas = await Replicas.start(2, { log: true });
  [one, two] = replicas.all as [Replica, Replica];
  closing = [];
});
afterEach(async () => {
  for (const close of closing) await close();
  await replicas.stop();
});

const readiness = () => Promise.all(replicas.all.map((replica) => replicas.ready(replica)));

/** Creates clients whose requests alternate between both replicas. */
async function loadOnBoth(): Promise<Load> {
  const proxy = await roundRobin(replicas.all.map(({ process }) => process.url));
  closing.push(() => proxy.close());
  return new Load({ url: proxy.url, key: replicas.key, s3: { url: '', accessKeyId: '', secretAccessKey: '' } });
}

describe('two replicas', () => {
  it('continue on a newer schema, and refuse to start on it', async () => {
    const tables = await replicas.admin.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    );
    for (const { name } of tables.rows)
      await replicas.admin.query(`alter table "${name}" add column of_the_next_version text not null default 'x'`);
    await replicas.admin.query(`insert into schema_versions (version, applied_at)
      select max(version) + 1, 0 from schema_versions`);
    const made = await loadOnBoth();
    for (const kind of [...KINDS, ...KINDS]) await made.uploadOnce(kind);
    expect(made.attempts.map((attempt) => attempt.isAcknowledged)).toEqual(made.attempts.map(() => true));
    const [first] = (await replicas.call<{ files: FileRecord[] }>(two, 'GET', '/v1/files?limit=1')).response.files;
    expect(Object.keys(first!)).not.toContain('of_the_next_version');
    const json = (body: unknown) => ({ headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
    const change = json({ visibility: 'public' });
    expect((await replicas.call(one, 'PATCH', `/v1/files/${first!.id}`, change)).status).toBe(200);
    expect((await replicas.call(two, 'POST', `/v1/files/${first!.id}/copy`, json({ path: 'copy.bin' }))).status).toBe(201);
    expect((await replicas.call(one, 'DELETE', `/v1/files/${first!.id}`)).status).toBe(200);

    expect(await one.process.end('SIGTERM')).toBe(0);
    const [status] = await once(one.process.launch(), 'exit');
    expect(status).toBe(1);
    expect(await replicas.logOf(one)).toContain('newer');
    expect(await replicas.ready(two)).toBe(200);
  });
});

describe('a fail-over of PostgreSQL that loses the last commits', () => {
  /** Runs statements while the replicas are disconnected from the database. */
  async function alone(...statements: string[]): Promise<void> {
    const server = new pg.Client({ connectionString: await usePostgres() });
    await server.connect();
    const ports = replicas.all.map(({ relay }) => relay.port);
    for (const { relay } of replicas.all) await relay.refuse();
    await replicas.admin.end();
    for (const statement of statements) await vi.waitFor(() => server.query(statement), 60_000);
    await server.end();
    for (const [index, { relay }] of replicas.all.entries()) await relay.accept(ports[index]!);
    await expect.poll(readiness).toEqual([200, 200]);
  }

  it('keeps every file of the standby whole, and repeated uploads store the lost ones once', async () => {
    const name = new URL(replicas.storage.databaseUrl).pathname.slice(1);
    const pieces = [1, 2, 3].map((fill) => new Uint8Array(8 * MIB).fill(fill));
    const send = (replica: Replica, place: string, offset: number, body: Uint8Array) =>
      fetch(replica.process.url + place, {
        method: 'PATCH',
        headers: {
          ...TUS,
          Authorization: `Bearer ${replicas.key}`,
          'Upload-Offset': `${offset}`,
          'Content-Type': 'application/offset+octet-stream',
        },
        body: body as BodyInit,
      });
    const deleted = (await replicas.put(one, 'deleted.txt', 'deleted')).response;
    const replaced = (await replicas.put(two, 'replaced.txt', 'before')).response;
    const described = { 'Upload-Metadata': `filename ${btoa('tus.bin')}`, 'Upload-Length': `${24 * MIB}` };
    const creating = { Authorization: `Bearer ${replicas.key}`, ...TUS, ...described };
    const made = await fetch(`${one.process.url}/v1/uploads`, { method: 'POST', headers: creating });
    const place = made.headers.get('location')!;
    expect((await send(one, place, 0, pieces[0]!)).status).toBe(204);

    await alone(`create database ${name}_standby template ${name}`);
    await replicas.call(two, 'DELETE', `/v1/files/${deleted.id}`);
    expect((await replicas.put(one, 'replaced.txt?overwrite=true', 'after')).status).toBe(200);
    expect((await send(two, place, 8 * MIB, pieces[1]!)).status).toBe(204);
    const headers = { 'Idempotency-Key': 'of-the-upload-that-is-lost' };
    const lost = (await replicas.put(one, 'lost.txt', 'lost', { headers })).response;
    await alone(`alter database ${name} rename to ${name}_former`, `alter database ${name}_standby rename to ${name}`);

    for (const replica of replicas.all) {
      expect(await (await replicas.content(replica, deleted.id)).text()).toBe('deleted');
      expect(await (await replicas.content(replica, replaced.id)).text()).toBe('before');
      expect((await replicas.content(replica, lost.id)).status).toBe(404);
      expect((await replicas.put(replica, 'lost.txt', 'lost', { headers })).status).toBe(201);
    }
    // Both replicas know the offset of the standby.
    expect((await send(two, place, 16 * MIB, pieces[2]!)).status).toBe(409);
    expect((await send(two, place, 8 * MIB, pieces[1]!)).status).toBe(204);
    expect((await send(one, place, 16 * MIB, pieces[2]!)).status).toBe(200);
    const { blobs, close } = await openCore(replicas.storage as Parameters<typeof openCore>[0]);
    const damages: unknown[] = [];
    await blobs.scrub((damage) => damages.push(damage));
    await close();
    expect(damages).toEqual([]);
  });
});
