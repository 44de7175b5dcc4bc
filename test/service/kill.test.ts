import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createHash, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Libsql from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBlobService } from '../../server/service/index.js';
import type { FileRecord, StatsRecord, UploadTokenRecord } from '../../src/protocol/types.js';
import { build } from '../setup/build.js';
import { freePorts } from '../setup/ports.js';
import { Load } from './kill-load.js';
import type { Attempt, Target } from './kill-load.js';

/** `KILLS=100` for the whole of it. */
const KILLS = Number(process.env['KILLS'] ?? 8);

let dataDir: string;
let target: Target;
let ports: number[];
let child: ChildProcess | undefined;

beforeAll(async () => {
  await build({ ifStale: true });
  dataDir = await mkdtemp(join(tmpdir(), 'svc-kill-'));
  ports = await freePorts(2);
  const service = await createBlobService({ dataDir, port: 0, s3Port: false });
  const { secret } = await service.core.keys.create('main', { name: 'kill', scopes: ['blob:read', 'blob:write'] });
  await service.close();
  const url = `http://127.0.0.1:${ports[0]}`;
  target = { url, key: secret, s3: { url: `http://127.0.0.1:${ports[1]}`, accessKeyId: '', secretAccessKey: '' } };
  await start();
  const made = await call<{ access_key_id: string; secret_access_key: string }>('/v1/s3-credentials', 'POST', {});
  target.s3.accessKeyId = made.access_key_id;
  target.s3.secretAccessKey = made.secret_access_key;
}, 300_000);

afterAll(async () => {
  await kill();
  await rm(dataDir, { recursive: true, force: true });
});

async function start(): Promise<void> {
  const args = ['dist/cli.js', 'serve', '--quiet', '--data-dir', dataDir, '--port', `${ports[0]}`, '--s3-port', `${ports[1]}`];
  const env = { ...process.env, RATE_LIMITS: 'off' };
  const started = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'], env });
  child = started;
  for (;;) {
    if (started.exitCode !== null) throw new Error(`the service stopped with ${started.exitCode}`);
    const ready = await fetch(`${target.url}/readyz`).catch(() => undefined);
    if (ready?.ok) return;
    await sleep(20);
  }
}

async function kill(): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

async function call<T>(path: string, method = 'GET', body?: unknown): Promise<T> {
  const headers = { authorization: `Bearer ${target.key}`, ...(body !== undefined && { 'content-type': 'application/json' }) };
  const answer = await fetch(target.url + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const json = (await answer.json()) as { response: T };
  if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(json)}`);
  return json.response;
}

async function allFiles(): Promise<FileRecord[]> {
  const files: FileRecord[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { files: FileRecord[]; cursor: string | null } = await call(`/v1/files?limit=1000&cursor=${cursor}`);
    files.push(...page.files);
    cursor = page.cursor;
  }
  return files;
}

async function hashOf(id: string): Promise<string> {
  const answer = await fetch(`${target.url}/v1/files/${id}/content`, { headers: { authorization: `Bearer ${target.key}` } });
  return createHash('sha256')
    .update(Buffer.from(await answer.arrayBuffer()))
    .digest('hex');
}

const filesAt = (files: FileRecord[], { place }: Attempt) => files.filter((file) => file.path.startsWith(place));

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
  const checked = new Set<string>();
  /** How many uploads of each kind were answered, and how many were cut off. */
  const tally: Record<string, { answered: number; cut: number }> = {};

  it.each(Array.from({ length: KILLS }, (_, index) => index + 1))(
    'loses nothing it answered and keeps nothing half, time %i',
    async () => {
      const load = new Load(target);
      const running = load.run();
      // By what was done and not by the clock, so that a slow machine is struck as deep in the work as a fast one.
      await load.answered(randomInt(40));
      await sleep(randomInt(200));
      load.stop();
      await kill();
      await running;
      expect(load.failures).toEqual([]);
      await start();

      const { attempts } = load;
      for (const { kind, answered } of attempts) (tally[kind] ??= { answered: 0, cut: 0 })[answered ? 'answered' : 'cut'] += 1;
      const files = await allFiles();
      // Whatever exists is whole, answered or not.
      for (const file of files.filter(({ id }) => !checked.has(id))) {
        expect(await hashOf(file.id), file.path).toBe(file.sha256);
        checked.add(file.id);
      }
      for (const attempt of attempts) {
        const made = filesAt(files, attempt);
        expect(made.length, `${attempt.kind} ${attempt.place}`).toBeLessThanOrEqual(1);
        if (attempt.answered)
          expect(made[0], `${attempt.kind} ${attempt.place} was answered`).toMatchObject({ size: attempt.size });
        if (made[0]) expect(made[0].sha256).toBe(attempt.sha256);
      }

      // Asking again under the same key ends with one file each.
      for (const attempt of attempts) {
        if (!attempt.again) continue;
        const file = await attempt.again();
        expect([file.sha256, file.size], attempt.kind).toEqual([attempt.sha256, attempt.size]);
      }
      const after = await allFiles();
      for (const attempt of attempts)
        if (attempt.again) expect(filesAt(after, attempt), `${attempt.kind} ${attempt.place}`).toHaveLength(1);
      for (const { id, prefix } of load.tokens.values()) {
        const { uses } = await call<UploadTokenRecord>(`/v1/upload-tokens/${id}`);
        expect(uses, prefix).toBe(after.filter((file) => file.path.startsWith(`${prefix}/`)).length);
      }
      const stats = await call<StatsRecord>('/v1/stats');
      const bytes = after.reduce((sum, file) => sum + file.size, 0);
      expect([stats.files, stats.bytes]).toEqual([after.length, bytes]);
      // The sweep that follows a start runs beside the requests.
      await expect.poll(stray, { timeout: 20_000 }).toEqual({ missing: [], orphans: [] });
    },
    120_000,
  );

  it('was struck in the middle of work of every kind', () => {
    const sums = Object.values(tally);
    expect(Object.keys(tally).toSorted()).toEqual(['batch', 'form', 'put', 's3', 'tus']);
    expect(sums.reduce((sum, { answered }) => sum + answered, 0)).toBeGreaterThan(0);
    expect(sums.reduce((sum, { cut }) => sum + cut, 0)).toBeGreaterThan(0);
    if (KILLS >= 50) console.log(JSON.stringify(tally));
  });
});
