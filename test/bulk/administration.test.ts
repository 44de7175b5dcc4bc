import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { walk } from '../../src/bulk/node/index.js';
import type { Progress } from '../../src/bulk/types.js';
import { createBucket, createTransfer, createFolder } from './s3-store.js';

const MiB = 1024 * 1024;

describe('many large files at once', () => {
  it('warn of no leak', async () => {
    const folder = createFolder();
    for (let i = 0; i < 14; i++) writeFileSync(join(folder, `f${i}`), randomBytes(6 * MiB));
    const warnings: string[] = [];
    const heard = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', heard);
    const to = { bucket: await createBucket(), prefix: '' };
    const summary = await createTransfer().upload(walk(folder), to, { partSize: 5 * MiB, multipartThreshold: 5 * MiB });
    process.off('warning', heard);
    expect(summary).toMatchObject({ files: 14, failed: 0 });
    expect(warnings).toEqual([]);
  });
});

describe('a walk', () => {
  it.skipIf(process.platform !== 'linux')('says of a name that is no text what is wrong with it', () => {
    const folder = createFolder();
    mkdirSync(join(folder, 'd'));
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/d/caf`), Buffer.of(0xe9)]), 'x');
    writeFileSync(join(folder, 'd/b'), 'x');
    const seen = [...walk(folder, { sorted: true })].map(({ path, problem }) => [path, problem?.code, problem?.message]);
    expect(seen).toEqual([
      ['d/b', undefined, undefined],
      ['d/caf\uFFFD', 'NameUnsafe', expect.stringContaining('convmv')],
    ]);
  });
});

describe('a tree that is deeper than any key', () => {
  it('is told to be so', () => {
    const folder = createFolder();
    const at = process.cwd();
    // Not every system takes a path of all of it.
    try {
      process.chdir(folder);
      for (let depth = 0; depth < 700; depth++) {
        mkdirSync('d');
        process.chdir('d');
      }
    } finally {
      process.chdir(at);
    }
    writeFileSync(join(folder, 'e'), 'x');
    const seen = [...walk(folder, { sorted: true })].map(({ path, problem }) => [path.length, problem?.code, problem?.message]);
    expect(seen).toEqual([
      [1025, 'NameUnsafe', expect.stringContaining('1,024 bytes')],
      [1, undefined, undefined],
    ]);
  });
});

describe('a look ahead of the run', () => {
  it('tells a sync how much there is before all of it was compared', async () => {
    const folder = createFolder();
    for (let i = 0; i < 30; i++) writeFileSync(join(folder, `f${i}`), '12345');
    const seen: Progress[] = [];
    const told = () => seen.find(({ planned }) => planned);
    async function* slowly() {
      for (const file of walk(folder, { sorted: true })) {
        if (file.path === 'f2') await expect.poll(told, { timeout: 10_000 }).toBeDefined();
        yield file;
      }
    }
    const options = { survey: walk(folder), onProgress: (progress: Progress) => void seen.push(progress) };
    const to = { bucket: await createBucket(), prefix: '' };
    expect(await createTransfer().syncUp(slowly, to, options)).toMatchObject({ files: 30, failed: 0 });
    expect(told()).toMatchObject({ totalFiles: 30, totalBytes: 150 });
    expect(told()!.files).toBeLessThan(30);
  });

  it('that fails leaves the run alone', async () => {
    const lost = vi.fn();
    process.on('unhandledRejection', lost);
    const survey: Iterable<never> = {
      [Symbol.iterator]: () => {
        throw new Error('EIO');
      },
    };
    const folder = createFolder();
    writeFileSync(join(folder, 'a'), 'a');
    const summary = await createTransfer().upload(walk(folder), { bucket: await createBucket(), prefix: '' }, { survey });
    expect(summary).toMatchObject({ files: 1, failed: 0 });
    process.off('unhandledRejection', lost);
    expect(lost).not.toHaveBeenCalled();
  });
});
