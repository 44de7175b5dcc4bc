import { execFileSync, fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openFsBytes } from '../../server/service/drivers/bytes/fs.js';
import { useBuild } from '../support/shared-server.js';
import { newBlobId } from '../../server/service/runtime/ids.js';

// The tests run the service over a disk whose flushes fail on demand, see lost-writes.c.
const NO_COMPILER = 'needs Linux and a C compiler (cc)';
let folder: string;
let library: string | undefined;
beforeAll(async () => {
  await useBuild();
  folder = await mkdtemp(join(tmpdir(), 'svc-lost-'));
  if (process.platform !== 'linux') return;
  const target = join(folder, 'lost-writes.so');
  const source = new URL('lost-writes.c', import.meta.url).pathname;
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', target, source, '-ldl', '-lpthread']);
    library = target;
  } catch (cause) {
    if ((cause as { code?: string }).code !== 'ENOENT') throw cause;
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let test: string;
let dataDir: string;
const children: ChildProcess[] = [];
beforeEach(async () => {
  test = await mkdtemp(join(folder, 'test-'));
  dataDir = join(test, 'data');
  await mkdir(join(test, 'images'));
  await mkdir(dataDir);
});
afterEach(() => children.splice(0).forEach((child) => child.kill('SIGKILL')));

/** Makes flushes fail for files whose path ends with `part`, or contains it if it is a folder. */
const failFlushesOf = (part: string) => writeFile(join(test, 'fail'), part);
const repairDisk = () => rm(join(test, 'fail'), { force: true });

/** Runs a script over the failing disk. @returns its first message, and what it printed when it has ended. */
async function run<T>(
  script: string,
): Promise<{ message: T; child: ChildProcess; ended: Promise<{ signal: string | null; text: string }> }> {
  const env = {
    ...process.env,
    LD_PRELOAD: library!,
    TRACK: '/metadata.db',
    IMAGES: join(test, 'images'),
    FAIL: join(test, 'fail'),
  };
  const child = fork(new URL(script, import.meta.url), [dataDir], {
    execArgv: script.endsWith('.ts') ? ['--import', 'tsx'] : [],
    env,
    silent: true,
  });
  children.push(child);
  let text = '';
  child.stderr!.on('data', (data) => (text += data));
  const ended = once(child, 'close').then(([, signal]) => ({ signal: signal as string | null, text }));
  const message = await Promise.race([
    once(child, 'message').then(([first]) => first as T),
    ended.then((end) => Promise.reject(new Error(`ended with ${end.signal}: ${end.text}`))),
  ]);
  return { message, child, ended };
}

const startService = () => run<{ url: string; key: string }>('serve-built.mjs');

/** Replaces the database files by their flushed state, as after a power cut. */
async function cutPower(): Promise<void> {
  await rm(join(dataDir, 'metadata.db-shm'));
  for (const name of ['metadata.db', 'metadata.db-wal']) await copyFile(join(test, 'images', name), join(dataDir, name));
}

const put = async ({ url, key }: { url: string; key: string }, path: string): Promise<number | string> => {
  const headers = { Authorization: `Bearer ${key}` };
  const httpResponse = await fetch(`${url}/v1/files/${path}`, { method: 'PUT', headers, body: path }).catch(() => undefined);
  return httpResponse?.status ?? 'no response';
};

const listPaths = async ({ url, key }: { url: string; key: string }): Promise<string[]> => {
  const httpResponse = await fetch(`${url}/v1/files`, { headers: { Authorization: `Bearer ${key}` } });
  const { response } = (await httpResponse.json()) as { response: { files: { path: string }[] } };
  return response.files.map((file) => file.path);
};

describe('a failed flush of the database', () => {
  it('ends the service, and after the next start a power cut loses no acknowledged upload', async ({ skip }) => {
    skip(library === undefined, NO_COMPILER);
    const first = await startService();
    expect(await put(first.message, 'before.txt')).toBe(201);

    await failFlushesOf('metadata.db-wal');
    expect(await put(first.message, 'during.txt')).toBe('no response');
    const { signal, text } = await first.ended;
    expect([signal, text]).toEqual([
      'SIGKILL',
      expect.stringMatching(/metadata\.db-wal could not be flushed to the disk \(EIO\)/),
    ]);

    await repairDisk();
    const second = await startService();
    expect(await put(second.message, 'after.txt')).toBe(201);
    second.child.kill('SIGKILL');
    await second.ended;
    await cutPower();
    expect(await listPaths((await startService()).message)).toEqual(expect.arrayContaining(['before.txt', 'after.txt']));
  });

  it('ends the service if it happens in a checkpoint', async ({ skip }) => {
    skip(library === undefined, NO_COMPILER);
    const { message, ended } = await startService();
    await failFlushesOf('/metadata.db');
    let status: number | string = 201;
    for (let index = 0; index < 1000 && status === 201; index++) status = await put(message, `${index}.txt`);
    expect(status).toBe('no response');
    const { signal, text } = await ended;
    expect([signal, text]).toEqual(['SIGKILL', expect.stringMatching(/metadata\.db could not be flushed/)]);
  });

  it('prevents the start until the disk is repaired', async ({ skip }) => {
    skip(library === undefined, NO_COMPILER);
    const first = await startService();
    first.child.kill('SIGKILL');
    await first.ended;
    await failFlushesOf('metadata.db-wal');
    await expect(startService()).rejects.toThrow(/SIGKILL: svc-blob: .*metadata\.db-wal could not be flushed/);
    await repairDisk();
    expect(await put((await startService()).message, 'after.txt')).toBe(201);
  });
});

it('a failed flush of small files loses no earlier file, even if later flushes succeed', async ({ skip }) => {
  skip(library === undefined, NO_COMPILER);
  const ids = { before: newBlobId(), during: newBlobId(), after: newBlobId() };
  const { message: write, child, ended } = await run<string>('blobs-in-process.ts');
  expect(write).toBe('ready');
  const store = async (id: string) => {
    child.send(id);
    return (await once(child, 'message'))[0] as string;
  };
  expect(await store(ids.before)).toBe('stored');
  await failFlushesOf('/journal/');
  expect(await store(ids.during)).toBe('EIO');
  await repairDisk();
  expect(await store(ids.after)).toBe('stored');
  child.send('close');
  await ended;

  // Empties the blobs, as a disk that lost their bytes.
  for (const entry of await readdir(join(dataDir, 'data'), { recursive: true, withFileTypes: true }))
    if (entry.isFile()) await truncate(join(entry.parentPath, entry.name), 0);
  const driver = await openFsBytes(dataDir);
  await driver.recover();
  const text = async (id: string) => (await (await driver.read(id)).toArray()).join('');
  expect(await text(ids.before)).toBe(`bytes of ${ids.before}`);
});
