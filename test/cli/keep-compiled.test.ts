import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { svcBlob } from './support.js';

const canKeep = 'enableCompileCache' in process.getBuiltinModule('node:module');

describe('what Node compiled of svc-blob', () => {
  let caches: string;
  beforeEach(() => {
    caches = mkdtempSync(join(tmpdir(), 'caches-'));
  });
  afterEach(() => rmSync(caches, { recursive: true }));

  const version = async (): Promise<void> => {
    const { status, stdout, stderr } = await svcBlob(['--version'], { XDG_CACHE_HOME: caches });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  };

  it.runIf(canKeep)('is kept in a folder of the user’s own', async () => {
    await version();
    expect(readdirSync(join(caches, 'svc-blob'))).not.toEqual([]);
  });

  it.runIf(canKeep)('is not kept, nor taken, where others may write', async () => {
    const folder = join(caches, 'svc-blob');
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    await version();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('does not come to lie in the working directory, where a relative folder is named', async () => {
    const { status } = await svcBlob(['--version'], { XDG_CACHE_HOME: 'relative-caches', HOME: caches });
    expect(status).toBe(0);
    expect(existsSync('relative-caches')).toBe(false);
    expect(existsSync(join(caches, '.cache', 'svc-blob'))).toBe(canKeep);
  });

  it('is not missed where there can be no folder', async () => {
    writeFileSync(join(caches, 'svc-blob'), 'a file');
    await version();
  });

  it.skipIf(canKeep)('is not kept by a Node that cannot, nor is a folder made', async () => {
    await version();
    expect(existsSync(join(caches, 'svc-blob'))).toBe(false);
  });
});
