import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { openCore } from '../../server/service/core.js';
import type { Core } from '../../server/service/core.js';
import { compileScript } from '../support/compile-script.js';

const folders: string[] = [];
let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-data-'));
  folders.push(dataDir);
});
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function withCore<T>(work: (core: Core) => Promise<T>): Promise<T> {
  const core = await openCore({ dataDir });
  try {
    return await work(core);
  } finally {
    await core.close();
  }
}

const secretFile = () => join(dataDir, 'secret.key');
const secretOf = () => withCore(async (core) => Buffer.from(core.secret).toString('base64'));
const createKey = () => withCore((core) => core.keys.create('main', { name: 'a', scopes: ['blob:read'] }));

describe('the secret of a data directory', () => {
  it('is created once and kept', async () => {
    const first = await secretOf();
    expect(await readFile(secretFile(), 'utf8')).toBe(first);
    expect(await secretOf()).toBe(first);
  });

  it.each(['', 'c2hvcnQ='])('is created again after a crash that left %j, because no data depends on it', async (left) => {
    await writeFile(secretFile(), left);
    const secret = await secretOf();
    expect(Buffer.from(secret, 'base64')).toHaveLength(32);
    expect(await secretOf()).toBe(secret);
    expect(await readFile(`${secretFile()}.damaged`, 'utf8')).toBe(left);
  });

  it.each([
    ['empty', () => writeFile(secretFile(), ''), /secret\.key, is damaged\. Restore it from a backup/],
    ['cut off', async () => writeFile(secretFile(), (await readFile(secretFile(), 'utf8')).slice(0, 40)), /is damaged/],
    ['missing', () => rm(secretFile()), /secret\.key, is missing\. Restore it from a backup/],
  ])('is never replaced silently once a key exists: %s', async (_name, damage, message) => {
    await createKey();
    await damage();
    const before = await readdir(dataDir);
    await expect(openCore({ dataDir })).rejects.toThrow(message);
    expect((await readdir(dataDir)).filter((name) => name.startsWith('secret'))).toEqual(
      before.filter((name) => name.startsWith('secret')),
    );
  });

  it('may be replaced by the operator, with a final line break', async () => {
    await createKey();
    const secret = Buffer.alloc(32, 7).toString('base64');
    await writeFile(secretFile(), `${secret}\n`);
    expect(await secretOf()).toBe(secret);
  });

  it('leaves no temporary files after its creation', async () => {
    await secretOf();
    expect((await readdir(dataDir)).filter((name) => name.startsWith('secret'))).toEqual(['secret.key']);
  });

  it('is the same for processes that start at the same time', async () => {
    await writeFile(secretFile(), '');
    const program = await compileScript(new URL('open-core.ts', import.meta.url));
    const children = Array.from({ length: 4 }, () => fork(program, [dataDir]));
    const secrets = await Promise.all(children.map(async (child) => (await once(child, 'message'))[0] as string));
    await Promise.all(children.map((child) => child.exitCode ?? once(child, 'exit')));
    expect(new Set(secrets).size).toBe(1);
    expect(await readFile(secretFile(), 'utf8')).toBe(secrets[0]);
  });
});

describe.skipIf(process.platform === 'win32')('an existing data directory', () => {
  const openTo = async (path: string) => (await stat(join(dataDir, path))).mode & 0o077;

  /** Warnings that the process emits meanwhile. */
  async function warningsOf(work: () => Promise<unknown>): Promise<string> {
    let text = '';
    const listen = (warning: Error) => void (text += `${warning.name}: ${warning.message}\n`);
    process.on('warning', listen);
    await work();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', listen);
    return text;
  }

  it('with mode 0755 is made private, with all that the service creates in it', async () => {
    await chmod(dataDir, 0o755);
    const umask = process.umask(0o022);
    try {
      const text = await warningsOf(() =>
        withCore(async (core) => {
          await core.lockForServing();
          await core.keys.create('main', { name: 'a', scopes: ['blob:read'] });
          for (const name of ['.', ...(await readdir(dataDir, { recursive: true }))])
            expect([name, await openTo(name)]).toEqual([name, 0]);
          expect(await readdir(dataDir)).toEqual(
            expect.arrayContaining(['metadata.db-wal', 'blobs', 'secret.key', 'serve.lock']),
          );
        }),
      );
      expect(text).toContain(`other users had access to ${dataDir}; these are private now`);
    } finally {
      process.umask(umask);
    }
  });

  it('with files of other programs keeps its mode, and only the files of the service are made private', async () => {
    await createKey();
    await writeFile(join(dataDir, 'README'), 'not ours', { mode: 0o644 });
    for (const name of ['metadata.db', 'secret.key']) await chmod(join(dataDir, name), 0o644);
    for (const name of ['.', 'blobs']) await chmod(join(dataDir, name), 0o755);
    const text = await warningsOf(() => withCore(async () => {}));
    for (const name of ['metadata.db', 'secret.key', 'blobs']) {
      expect([name, await openTo(name)]).toEqual([name, 0]);
      expect(text).toContain(join(dataDir, name));
    }
    expect([await openTo('.'), await openTo('README')]).toEqual([0o055, 0o044]);
  });

  it('that every user may write to causes a warning', async () => {
    await writeFile(join(dataDir, 'README'), 'not ours');
    await chmod(dataDir, 0o777);
    expect(await warningsOf(() => withCore(async () => {}))).toContain('may replace files in');
  });

  it('with files of another user is rejected with the file and the reason', async ({ skip }) => {
    skip(process.getuid!() !== 0, 'only root may become another user');
    await createKey();
    await chmod(dataDir, 0o755);
    const parent = join(dataDir, '..');
    // The import comes first, because the other user may be unable to enter the folder of this repository.
    const attempt = `
      const { preparePrivateData } = await import(${JSON.stringify(new URL('../../server/service/runtime/private-data.ts', import.meta.url).href)});
      process.setgid(65534); process.setuid(65534);
      await preparePrivateData(${JSON.stringify(dataDir)}, () => {}, { databases: true }).catch((error) => console.log(error.message));`;
    expect(await readdir(parent)).toBeTruthy();
    const output = execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', attempt], {
      encoding: 'utf8',
    });
    expect(output).toContain(
      `${join(dataDir, 'metadata.db')} cannot be read, written and made private: it must belong to the user`,
    );
  });

  it('is created with mode 0700 if it is missing', async () => {
    dataDir = join(dataDir, 'new', 'data');
    await secretOf();
    expect(await openTo('.')).toBe(0);
    await mkdir(dataDir, { recursive: true });
  });
});
