import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DiskJournal, FolderTarget, walk } from '../../src/s3/node/index.js';
import type { DownloadOptions } from '../../src/s3/node/index.js';
import { startFaultProxy } from '../setup/fault-proxy.js';
import type { SeenRequest } from '../setup/fault-proxy.js';
import { newBucket, newBulk, newFolder, s3 } from './engine.js';

const MiB = 1024 * 1024;

describe.skipIf(s3 === undefined)('what a download left that was cut short', () => {
  it.each(['download', 'sync'])('is dropped by the next %s, when its object is gone', async (way) => {
    await using proxy = await startFaultProxy(s3!.endpoint);
    const bulk = newBulk({ endpoint: proxy.url });
    const [source, folder, state] = [newFolder(), newFolder(), join(newFolder(), 'j')];
    mkdirSync(join(source, 'sub'));
    for (const name of ['big', 'sub/big']) writeFileSync(join(source, name), randomBytes(23 * MiB));
    writeFileSync(join(source, 'small'), '1');
    const from = { bucket: await newBucket(), prefix: '' };
    await bulk.upload(walk(source), from);
    const target = new FolderTarget(folder);
    const fetch = (more: Pick<DownloadOptions, 'filter'> = {}) => {
      const journal = new DiskJournal(state, { keepSettled: false });
      const options = { partSize: 5 * MiB, retry: { tries: 1 }, journal, ...more };
      return way === 'sync'
        ? bulk.syncDown(from, target, () => walk(folder, { sorted: true }), options)
        : bulk.download(from, target, options);
    };
    const third = ({ headers }: SeenRequest) => headers.range?.startsWith('bytes=10485760-') === true;
    const broken = proxy.on({ method: 'GET', when: third, fault: { answer: { status: 500 } } });
    expect(await fetch()).toMatchObject({ failed: 2 });
    broken.remove();
    const left = readdirSync(folder);
    expect(left).toEqual([expect.stringMatching(/^\.svc-.*\.part$/), 'small', 'sub']);
    // A run that leaves it out leaves it there.
    expect(await fetch({ filter: (path) => !path.endsWith('big') })).toMatchObject({ failed: 0 });
    expect(readdirSync(folder)).toEqual(left);
    expect(readdirSync(join(folder, 'sub'))).toHaveLength(1);
    // It may be gone already, with its folder.
    rmSync(join(folder, 'sub'), { recursive: true });
    writeFileSync(join(folder, 'sub'), '');
    await bulk.delete(from, { keys: ['big', 'sub/big'] });
    expect(await fetch()).toMatchObject({ failures: [] });
    expect(readdirSync(folder)).toEqual(['small', 'sub']);
  });
});
