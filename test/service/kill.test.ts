import { createHash, randomBytes, randomInt } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Libsql from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileRecord } from '../../src/protocol/types.js';
import { createBlobService } from '../../server/service/index.js';
import { build } from '../../scripts/build.js';
import { freePorts } from '../support/ports.js';
import { Judge } from './kill-judge.js';
import { Load } from './kill-load.js';
import type { Target } from './kill-load.js';
import { ServeProcess } from './support/serve-process.js';

/** `KILLS=100` for more. */
const KILLS = Number(process.env['KILLS'] ?? 8);

const MIB = 1024 * 1024;

let dataDir: string;
let target: Target;
let served: ServeProcess;
let judge: Judge;

beforeAll(async () => {
  await build({ ifStale: true });
  dataDir = await mkdtemp(join(tmpdir(), 'svc-kill-'));
  const service = await createBlobService({ dataDir, port: 0, s3Port: false });
  const { secret: key } = await service.core.keys.create('main', { name: 'kill', scopes: ['blob:read', 'blob:write'] });
  const { id, secret } = await service.core.s3Credentials.create('main', {});
  await service.close();
  served = new ServeProcess(['--data-dir', dataDir], (await freePorts(2)) as [number, number]);
  target = { url: served.url, key, s3: { url: served.s3Url, accessKeyId: id, secretAccessKey: secret } };
  judge = new Judge(target);
  await served.start();
}, 300_000);

afterAll(async () => {
  await served.end('SIGKILL');
  await rm(dataDir, { recursive: true, force: true });
});

/** Blobs on the disk against the records: what is recorded is there, and what is there is recorded. */
async function stray(): Promise<{ missing: string[]; orphans: string[] }> {
  const entries = await readdir(join(dataDir, 'blobs'), { recursive: true, withFileTypes: true });
  const there = new Set(
    entries.filter((entry) => entry.isFile() && /^[a-z0-9]{32}$/.test(entry.name)).map((entry) => entry.name),
  );
  const database = new Libsql(join(dataDir, 'metadata.db'), { readonly: true });
  const rows = database.prepare('select id, refs from blobs').all() as { id: string; refs: number }[];
  database.close();
  const known = new Set(rows.map((row) => row.id));
  return {
    missing: rows.filter((row) => row.refs > 0 && !there.has(row.id)).map((row) => row.id),
    orphans: [...there].filter((id) => !known.has(id)),
  };
}

describe('the service killed at a random instant of mixed uploads', () => {
  it.each(Array.from({ length: KILLS }, (_, index) => index + 1))(
    'loses nothing it answered and keeps nothing half, time %i',
    async () => {
      const load = new Load(target);
      const running = load.run();
      // By what was done and not by the clock, so that a slow machine is struck as deep in the work as a fast one.
      await load.answered(randomInt(40));
      await sleep(randomInt(200));
      load.stop();
      await served.end('SIGKILL');
      await running;
      expect(load.failures).toEqual([]);
      await served.start();

      await judge.expectWhole(load.attempts);
      await judge.expectOnce(load.attempts, load.tokens);
      // The sweep that follows a start runs beside the requests.
      await expect.poll(stray, { timeout: 20_000 }).toEqual({ missing: [], orphans: [] });
    },
    120_000,
  );

  it('goes on with a resumable upload from the pieces that were durable', async () => {
    const bytes = randomBytes(12 * MIB);
    // One piece, as docs/reference/tus.md says.
    const kept = 8 * MIB;
    const ask = (method: string, path: string, headers: Record<string, string>, body?: BodyInit) =>
      fetch(target.url + path, {
        method,
        headers: { Authorization: `Bearer ${target.key}`, 'Tus-Resumable': '1.0.0', ...headers },
        ...(body !== undefined && { body, duplex: 'half' }),
      } as RequestInit);
    const described = { 'Upload-Length': String(bytes.length), 'Upload-Metadata': 'filename a2lsbGVkLmJpbg==' };
    const place = (await ask('POST', '/v1/uploads', described)).headers.get('location')!;
    const piece = (offset: number) => ({
      'Upload-Offset': String(offset),
      'Content-Type': 'application/offset+octet-stream',
    });
    // Its second half never comes.
    const body = new ReadableStream({ start: (controller) => controller.enqueue(bytes.subarray(0, kept + 1000)) });
    const struck = ask('PATCH', place, piece(0), body).catch((cause: unknown) => cause);
    const offset = async () => ((await (await ask('GET', place, {})).json()) as { response: { offset: number } }).response.offset;
    await expect.poll(offset, { timeout: 20_000 }).toBe(kept);
    await served.end('SIGKILL');
    expect(await struck).toBeInstanceOf(Error);
    await served.start();
    expect((await ask('HEAD', place, {})).headers.get('upload-offset')).toBe(String(kept));
    const last = await ask('PATCH', place, piece(kept), bytes.subarray(kept));
    const { response } = (await last.json()) as { response: FileRecord };
    expect([last.status, response.sha256]).toEqual([200, createHash('sha256').update(bytes).digest('hex')]);
  }, 60_000);

  it('was struck in the middle of work of every kind', () => {
    judge.expectStruck();
    if (KILLS > 8) console.log(JSON.stringify(judge.tally));
  });
});
