import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { walk } from '../../src/bulk/node/index.js';
import type { SourceFile } from '../../src/bulk/types.js';
import { createBucket, createFolder, createTransfer, s3 } from './s3-store.js';

const MiB = 1024 * 1024;

const emptyFile = (path: string): SourceFile => ({
  path,
  size: 0,
  open: () => ({ size: 0, read: () => 0, changed: () => false, close() {} }),
});

describe('a transfer with many parallel requests', () => {
  it('causes no warning about a listener leak', async () => {
    const folder = createFolder();
    for (let i = 0; i < 14; i++) writeFileSync(join(folder, `f${i}`), randomBytes(6 * MiB));
    const warnings: string[] = [];
    const recordWarning = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', recordWarning);
    const to = { bucket: await createBucket(), prefix: '' };
    const summary = await createTransfer().upload(walk(folder), to, { partSize: 5 * MiB, multipartThreshold: 5 * MiB });
    process.off('warning', recordWarning);
    expect(summary).toMatchObject({ files: 14, failed: 0 });
    expect(warnings).toEqual([]);
  });

  it('causes no warning while all requests wait for credentials', async () => {
    const { accessKeyId, secretAccessKey } = s3;
    const credentials = async () => {
      await delay(200); // All requests have to wait at the same time.
      return { accessKeyId, secretAccessKey };
    };
    const warnings: string[] = [];
    const recordWarning = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', recordWarning);
    const files = Array.from({ length: 30 }, (_, index) => emptyFile(`f${index}`));
    const summary = await createTransfer({ credentials }).upload(files, { bucket: await createBucket(), prefix: '' });
    process.off('warning', recordWarning);
    expect(summary).toMatchObject({ files: 30, failed: 0 });
    expect(warnings).not.toContain('MaxListenersExceededWarning');
  });
});
