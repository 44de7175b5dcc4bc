import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { walk } from '../../src/bulk/node/index.js';
import type { Progress } from '../../src/bulk/types.js';
import { createBucket, createFolder, createTransfer } from './s3-store.js';

describe('the survey of a transfer', () => {
  it('reports the totals before a sync has compared every file', async () => {
    const folder = createFolder();
    for (let i = 0; i < 30; i++) writeFileSync(join(folder, `f${i}`), '12345');
    const reports: Progress[] = [];
    const findPlanned = () => reports.find(({ planned }) => planned);
    async function* slowly() {
      for (const file of walk(folder, { sorted: true })) {
        if (file.path === 'f2') await expect.poll(findPlanned).toBeDefined();
        yield file;
      }
    }
    const options = { survey: walk(folder), onProgress: (progress: Progress) => void reports.push(progress) };
    const to = { bucket: await createBucket(), prefix: '' };
    expect(await createTransfer().syncUp(slowly, to, options)).toMatchObject({ files: 30, failed: 0 });
    expect(findPlanned()).toMatchObject({ totalFiles: 30, totalBytes: 150 });
    expect(findPlanned()!.files).toBeLessThan(30);
  });

  it('does not fail the transfer if it fails itself', async () => {
    const onUnhandledRejection = vi.fn();
    process.on('unhandledRejection', onUnhandledRejection);
    const survey: Iterable<never> = {
      [Symbol.iterator]: () => {
        throw new Error('EIO');
      },
    };
    const folder = createFolder();
    writeFileSync(join(folder, 'a'), 'a');
    const summary = await createTransfer().upload(walk(folder), { bucket: await createBucket(), prefix: '' }, { survey });
    expect(summary).toMatchObject({ files: 1, failed: 0 });
    process.off('unhandledRejection', onUnhandledRejection);
    expect(onUnhandledRejection).not.toHaveBeenCalled();
  });
});
