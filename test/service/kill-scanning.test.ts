import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openCore } from '../../server/service/core.js';
import { build } from '../../scripts/build.js';
import type { FileRecord } from '../../src/protocol/types.js';
import { FakeClamd, TEST_VIRUS } from '../support/fake-clamd.js';
import { freePorts } from '../support/ports.js';
import { ServeProcess } from './support/serve-process.js';

const FILES = 60;
/** Every tenth file is infected. */
const isInfected = (index: number) => index % 10 === 0;

let dataDir: string;
let served: ServeProcess;
let scanner: FakeClamd;
let key: string;
beforeAll(async () => {
  await build({ ifStale: true });
  dataDir = await mkdtemp(join(tmpdir(), 'svc-kill-scans-'));
  const core = await openCore({ dataDir });
  key = (await core.keys.create('main', { name: 'kill', scopes: ['blob:read', 'blob:write'] })).secret;
  await core.close();
  scanner = await FakeClamd.start();
  served = new ServeProcess(['--data-dir', dataDir], (await freePorts(2)) as [number, number], {
    env: { SCAN: scanner.address },
  });
  await served.start();
}, 300_000);
afterAll(async () => {
  await served.end('SIGKILL');
  scanner.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const call = (method: string, path: string, body?: string) =>
  fetch(`${served.url}${path}`, { method, headers: { authorization: `Bearer ${key}` }, ...(body !== undefined && { body }) });
const list = async (): Promise<FileRecord[]> =>
  ((await (await call('GET', '/v1/files?limit=1000')).json()) as { response: { files: FileRecord[] } }).response.files;

it('a service that is killed while files wait for their scan delivers none of them before, and scans all after its start', async () => {
  // After 20 files the scanner stops to answer, so that scans run at the kill. One account has three of the four places.
  const answer = scanner.answer;
  scanner.answer = (bytes, socket) => (scanner.scanned.length <= 20 ? answer(bytes, socket) : undefined);
  await Promise.all(
    Array.from({ length: FILES }, (_, index) =>
      call('PUT', `/v1/files/${index}.txt`, isInfected(index) ? TEST_VIRUS : `file ${index}`),
    ),
  );
  await expect.poll(() => scanner.scanned.length).toBe(20 + 3);
  await served.end('SIGKILL');
  const blocked = scanner.scanned.length;
  await served.start();
  await expect.poll(() => scanner.scanned.length).toBeGreaterThan(blocked);
  const waiting = (await list()).filter(({ scan }) => scan === 'pending');
  expect(waiting).toHaveLength(FILES - 20);
  for (const { id } of waiting) expect((await call('GET', `/v1/files/${id}/content`)).status).toBe(409);

  scanner.answer = answer;
  await served.end('SIGKILL');
  await served.start();
  await expect.poll(async () => (await list()).filter(({ scan }) => scan === 'pending')).toEqual([]);
  const files = await list();
  expect(files).toHaveLength(FILES);
  for (const { id, name, scan } of files) {
    const expected = isInfected(Number.parseInt(name)) ? ['infected', 403] : ['clean', 200];
    expect([scan, (await call('GET', `/v1/files/${id}/content`)).status]).toEqual(expected);
  }
});
