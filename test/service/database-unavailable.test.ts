import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FileRecord, UploadTokenRecord } from '../../src/protocol/types.js';
import { createDatabase, usePostgres } from '../support/postgres.js';
import { setReadOnly } from '../support/set-read-only.js';
import { Relay } from '../support/relay.js';
import { BACKEND } from './backend.js';
import { repeatUntilStored, Load } from './kill-load.js';
import { TestService } from './support.js';
import type { ServiceResponse } from './support.js';
import { offsetOf, locationOf, TusClient } from './tus-client.js';

const MIB = 1024 * 1024;
let url: string;
let admin: pg.Client;
let relay: Relay;
let service: TestService;
const tusClient = new TusClient(() => service);

const toUnavailable = ({ status, error, headers }: ServiceResponse) => [
  status,
  error.code,
  Number(headers.get('retry-after')) > 0,
];
const UNAVAILABLE = [503, 'SERVICE_UNAVAILABLE', true];
const usesOf = async (id: string) => (await service.call<UploadTokenRecord>('GET', `/v1/upload-tokens/${id}`)).response.uses;

// The tests call the sweep of the service, so there must be one replica.
describe.runIf(BACKEND === 'postgres')('a PostgreSQL database', () => {
  beforeEach(async () => {
    url = await createDatabase();
    admin = new pg.Client({ connectionString: url });
    await admin.connect();
    relay = await Relay.start(new URL(url));
    service = await TestService.start({
      databaseUrl: relay.urlFor(url),
      s3Port: 0,
      rateLimits: { route: null, minute: null, day: null },
    });
  });
  afterEach(async () => {
    await service.stop();
    await admin.end();
    relay.close();
  });

  /** @param condition of PL/pgSQL under which an insert into the table fails. */
  const failInserts = async (table: string, condition: string, sqlState: string) => {
    await admin.query(`create function fail() returns trigger language plpgsql as $$ begin
      if ${condition} then raise exception 'made to fail' using errcode = '${sqlState}'; end if; return new; end $$`);
    await admin.query(`create trigger fail before insert or update on ${table} for each row execute function fail()`);
  };
  const createLoad = () =>
    new Load({ url: service.url, key: service.key, s3: { url: '', accessKeyId: '', secretAccessKey: '' } });
  const KINDS = ['put', 'form', 'batch', 'tus'] as const;

  it('that is unreachable causes 503 with Retry-After, over REST and S3', async () => {
    const s3 = new URL(service.s3Url!);
    const { port } = relay;
    await relay.refuse();
    expect(toUnavailable(await service.put('a.txt', 'x'))).toEqual(UNAVAILABLE);
    expect(toUnavailable(await service.upload('x', 'a.txt'))).toEqual(UNAVAILABLE);
    expect(toUnavailable(await service.call('GET', '/v1/files'))).toEqual(UNAVAILABLE);
    expect(toUnavailable(await service.call('POST', '/v1/upload-tokens', { body: {} }))).toEqual(UNAVAILABLE);
    expect(toUnavailable(await tusClient.create({ length: 3 }))).toEqual(UNAVAILABLE);
    const object = await fetch(new URL('/main/a.txt', s3));
    expect([object.status, object.headers.get('retry-after') !== null]).toEqual([503, true]);
    expect(await object.text()).toContain('<Code>ServiceUnavailable</Code>');
    await expect.poll(async () => (await fetch(`${service.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);

    await relay.accept(port);
    await expect.poll(async () => (await fetch(`${service.url}/readyz`)).status).toBe(200);
    expect((await service.put('a.txt', 'x')).status).toBe(201);
  });

  it('that is read-only makes the service not ready but still serves reads', async () => {
    await service.put('a.txt', 'x');
    await setReadOnly(admin, true);
    await expect.poll(async () => (await fetch(`${service.url}/readyz`)).status).toBe(503);
    expect(toUnavailable(await service.put('b.txt', 'x'))).toEqual(UNAVAILABLE);
    expect((await service.call('GET', '/v1/files')).status).toBe(200);
    await setReadOnly(admin, false);
    await expect.poll(async () => (await fetch(`${service.url}/readyz`)).status).toBe(200);
    expect((await service.put('b.txt', 'x')).status).toBe(201);
  });

  it('that cancels statements fails the upload and stores nothing of it', async () => {
    const { token, id } = await service.mint();
    const headers = { 'Idempotency-Key': randomUUID() };
    const send = () => service.upload('content', 'a.txt', { credential: token, headers });
    await failInserts('files', 'true', '57014');
    expect(toUnavailable(await send())).toEqual(UNAVAILABLE);
    await admin.query('drop function fail cascade');
    expect(await usesOf(id)).toBe(0);
    expect((await send()).status).toBe(201);
    expect(await usesOf(id)).toBe(1);
  });

  it.each(['files', 'reservations', 'usage', 'blobs'])(
    'that reports deadlocks in the table %s fails no upload',
    async (table) => {
      await failInserts(table, 'random() < 0.3', '40P01');
      const uploads = createLoad();
      await Promise.all(
        KINDS.map(async (kind) => {
          // Sometimes all six attempts of a transaction fail. The client retries, as after every 503.
          for (let times = 0; times < 5; times++)
            await uploads.uploadOnce(kind).catch((cause: Error) => expect(cause.message).toMatch(/^503/));
        }),
      );
      await admin.query('drop function fail cascade');
      await vi.waitFor(() => service.service.core.blobs.sweep());
      for (const attempt of uploads.attempts) expect((await repeatUntilStored(attempt)).sha256).toBe(attempt.sha256);
      const { response: stats } = await service.call<{ files: number; bytes: number }>('GET', '/v1/stats');
      const { response } = await service.call<{ files: FileRecord[] }>('GET', '/v1/files?limit=1000');
      expect([stats.files, stats.bytes]).toEqual([
        response.files.length,
        response.files.reduce((sum, file) => sum + file.size, 0),
      ]);
    },
  );

  it('with a newer schema still serves a replica of the older version', async () => {
    const tables = await admin.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    );
    for (const { name } of tables.rows)
      await admin.query(`alter table "${name}" add column of_the_next_version text not null default 'x'`);
    await admin.query(`insert into schema_versions (version, applied_at)
      select max(version) + 1, 0 from schema_versions`);
    const uploads = createLoad();
    for (const kind of KINDS) await uploads.uploadOnce(kind);
    expect(uploads.attempts.map((attempt) => attempt.isAcknowledged)).toEqual(uploads.attempts.map(() => true));
    const { response } = await service.call<{ files: FileRecord[] }>('GET', '/v1/files?limit=1000');
    const [first] = response.files;
    expect(Object.keys(first!)).not.toContain('of_the_next_version');
    expect((await service.call('PATCH', `/v1/files/${first!.id}`, { body: { visibility: 'public' } })).status).toBe(200);
    expect((await service.call('POST', `/v1/files/${first!.id}/copy`, { body: { path: 'copy.bin' } })).status).toBe(201);
    expect((await service.call('DELETE', `/v1/files/${first!.id}`)).status).toBe(200);
    await service.service.core.blobs.sweep();
  });

  it('that loses its last commits in a failover still serves the remaining files completely', async () => {
    const name = new URL(url).pathname.slice(1);
    const server = new pg.Client({ connectionString: await usePostgres() });
    await server.connect();
    const { port } = relay;
    /** Runs statements while no client is connected to the database. */
    const runWithoutClients = async (...statements: string[]) => {
      await relay.refuse();
      await admin.end();
      for (const statement of statements) await vi.waitFor(() => server.query(statement), 30_000);
      admin = new pg.Client({ connectionString: url });
      await admin.connect();
      await relay.accept(port);
      await expect.poll(async () => (await fetch(`${service.url}/readyz`)).status).toBe(200);
    };
    const readText = async (id: string) => new TextDecoder().decode(await service.bytesOf(id));

    const deleted = (await service.put('deleted.txt', 'deleted')).response;
    const replaced = (await service.put('replaced.txt', 'before')).response;
    const created = await tusClient.create({ length: 3 * 8 * MIB });
    await tusClient.send(locationOf(created), 0, new Uint8Array(8 * MIB));
    await runWithoutClients(`create database ${name}_standby template ${name}`);
    await service.call('DELETE', `/v1/files/${deleted.id}`);
    await service.put('replaced.txt', 'after', { headers: { 'If-Match': `"${replaced.etag}"` } });
    await tusClient.send(locationOf(created), 8 * MIB, new Uint8Array(8 * MIB));
    const headers = { 'Idempotency-Key': randomUUID() };
    const lost = (await service.upload('lost', 'lost.txt', { headers })).response;
    await service.service.core.blobs.sweep();
    await runWithoutClients(
      `alter database ${name} rename to ${name}_former`,
      `alter database ${name}_standby rename to ${name}`,
    );

    expect(await readText(deleted.id)).toBe('deleted');
    expect(await readText(replaced.id)).toBe('before');
    expect((await service.call('GET', `/v1/files/${lost.id}`)).status).toBe(404);
    // A client that repeats the lost upload stores it once.
    expect((await service.upload('lost', 'lost.txt', { headers })).status).toBe(201);
    expect(offsetOf(await tusClient.head(locationOf(created)))).toBe(8 * MIB);
    await tusClient.send(locationOf(created), 8 * MIB, new Uint8Array(16 * MIB).fill(1));
    const { response: finished } = await service.call<{ file: FileRecord }>('GET', locationOf(created));
    expect(finished.file.size).toBe(24 * MIB);
    const findings: unknown[] = [];
    await service.service.core.blobs.scrub((finding) => findings.push(finding));
    expect(findings).toEqual([]);
    await server.end();
  });
});
