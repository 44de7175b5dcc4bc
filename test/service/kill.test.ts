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
import { KillVerifier } from './kill-verifier.js';
import { Load } from './kill-load.js';
import type { Target } from './kill-load.js';
import { ServeProcess } from './support/serve-process.js';

/** Number of kills. `npm run test:matrix` sets KILLS to 20. */
const DEFAULT_KILLS = 2;
const KILLS = Number(process.env['KILLS'] ?? DEFAULT_KILLS);

const MIB = 1024 * 1024;

let dataDir: string;
let target: Target;
let served: ServeProcess;
let verifier: KillVerifier;

beforeAll(async () => {
  await build({ ifStale: true });
  dataDir = await mkdtemp(join(tmpdir(), 'svc-kill-'));
  const service = await createBlobService({ dataDir, port: 0, s3Port: false });
  const { secret: key } = await service.core.keys.create('main', { name: 'kill', scopes: ['blob:read', 'blob:write'] });
  const { id, secret } = await service.core.s3Credentials.create('main', {});
  await service.close();
  served = new ServeProcess(['--data-dir', dataDir], (await freePorts(2)) as [number, number]);
  target = { url: served.url, key, s3: { url: served.s3Url, accessKeyId: id, secretAccessKey: secret } };
  verifier = new KillVerifier(target);
  await served.start();
}, 300_000);

afterAll(async () => {
  await served.end('SIGKILL');
  await rm(dataDir, { recursive: true, force: true });
});

/** Compares the blobs on the disk with the rows of the database. */
async function compareBlobs(): Promise<{ missing: string[]; orphans: string[] }> {
  const entries = await readdir(join(dataDir, 'blobs'), { recursive: true, withFileTypes: true });
  const onDisk = new Set(
    entries.filter((entry) => entry.isFile() && /^[a-z0-9]{32}$/.test(entry.name)).map((entry) => entry.name),
  );
  const database = new Libsql(join(dataDir, 'metadata.db'), { readonly: true });
  const rows = database.prepare('select id, refs from blobs').all() as { id: string; refs: number }[];
  database.close();
  const known = new Set(rows.map((row) => row.id));
  return {
    missing: rows.filter((row) => row.refs > 0 && !onDisk.has(row.id)).map((row) => row.id),
    orphans: [...onDisk].filter((id) => !known.has(id)),
  };
}

describe('a service that is killed at a random time of mixed uploads', () => {
  it.each(Array.from({ length: KILLS }, (_, index) => index + 1))(
    'loses no acknowledged upload and keeps no incomplete file (kill %i)',
    async () => {
      const load = new Load(target);
      const running = load.run();
      // Counts uploads instead of time, so that the kill hits slow and fast machines at the same stage.
      await load.waitForResponses(randomInt(40));
      // The random delay makes the time of the kill arbitrary.
      await sleep(randomInt(200));
      load.stop();
      await served.end('SIGKILL');
      await running;
      expect(load.failures).toEqual([]);
      await served.start();

      await verifier.expectCompleteFiles(load.attempts);
      await verifier.expectOneFileEach(load.attempts, load.tokens);
      // The sweep that follows a start runs beside the requests.
      await expect.poll(compareBlobs).toEqual({ missing: [], orphans: [] });
    },
    300_000,
  );

  it('continues a resumable upload after its durable pieces', async () => {
    const bytes = randomBytes(12 * MIB);
    // One piece, as docs/reference/tus.md says.
    const durable = 8 * MIB;
    const send = (method: string, path: string, headers: Record<string, string>, body?: BodyInit) =>
      fetch(target.url + path, {
        method,
        headers: { Authorization: `Bearer ${target.key}`, 'Tus-Resumable': '1.0.0', ...headers },
        ...(body !== undefined && { body, duplex: 'half' }),
      } as RequestInit);
    const creation = { 'Upload-Length': String(bytes.length), 'Upload-Metadata': 'filename a2lsbGVkLmJpbg==' };
    const location = (await send('POST', '/v1/uploads', creation)).headers.get('location')!;
    const piece = (offset: number) => ({
      'Upload-Offset': String(offset),
      'Content-Type': 'application/offset+octet-stream',
    });
    // The second half of the body never arrives.
    const body = new ReadableStream({ start: (controller) => controller.enqueue(bytes.subarray(0, durable + 1000)) });
    const interrupted = send('PATCH', location, piece(0), body).catch((cause: unknown) => cause);
    const offset = async () =>
      ((await (await send('GET', location, {})).json()) as { response: { offset: number } }).response.offset;
    await expect.poll(offset).toBe(durable);
    await served.end('SIGKILL');
    expect(await interrupted).toBeInstanceOf(Error);
    await served.start();
    expect((await send('HEAD', location, {})).headers.get('upload-offset')).toBe(String(durable));
    const last = await send('PATCH', location, piece(durable), bytes.subarray(durable));
    const { response } = (await last.json()) as { response: FileRecord };
    expect([last.status, response.sha256]).toEqual([200, createHash('sha256').update(bytes).digest('hex')]);
  });

  it('was killed during uploads, after uploads of every kind', () => {
    verifier.expectInterruptions();
    if (KILLS > DEFAULT_KILLS) console.log(JSON.stringify(verifier.counts));
  });
});
