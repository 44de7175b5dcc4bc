import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FileRecord, UploadTokenRecord } from '../../src/protocol/types.js';
import { createDatabase } from '../support/postgres.js';
import { setReadOnly } from '../support/set-read-only.js';
import { Relay } from '../support/relay.js';
import { BACKEND } from './backend.js';
import { repeatUntilStored, Load } from './kill-load.js';
import { TestService } from './support.js';
import type { ServiceResponse } from './support.js';
import { TusClient } from './tus-client.js';

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
    await admin.query(`create or replace function fail() returns trigger language plpgsql as $$ begin
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

  it('that reports deadlocks fails no upload', async () => {
    for (const table of ['files', 'reservations', 'usage', 'blobs']) await failInserts(table, 'random() < 0.1', '40P01');
    const uploads = createLoad();
    await Promise.all(
      KINDS.map(async (kind) => {
        // Sometimes all six attempts of a transaction fail. The client retries, as after every 503.
        for (let times = 0; times < 10; times++)
          await uploads.uploadOnce(kind).catch((cause: Error) => expect(cause.message).toMatch(/^503/));
      }),
    );
    await admin.query('drop function fail cascade');
    await vi.waitFor(() => service.service.core.blobs.sweep());
    for (const attempt of uploads.attempts) expect((await repeatUntilStored(attempt)).sha256).toBe(attempt.sha256);
    const { response: stats } = await service.call<{ files: number; bytes: number }>('GET', '/v1/stats');
    const { response } = await service.call<{ files: FileRecord[] }>('GET', '/v1/files?limit=1000');
    expect([stats.files, stats.bytes]).toEqual([response.files.length, response.files.reduce((sum, file) => sum + file.size, 0)]);
  });
});
