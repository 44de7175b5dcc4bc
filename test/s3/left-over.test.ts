import { randomBytes } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
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
    writeFileSync(join(source, 'big'), randomBytes(23 * MiB));
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
    expect(await fetch()).toMatchObject({ failed: 1 });
    broken.remove();
    const left = readdirSync(folder);
    expect(left).toEqual([expect.stringMatching(/^\.svc-.*\.part$/), 'small']);
    // A run that leaves it out leaves it there.
    expect(await fetch({ filter: (path) => path !== 'big' })).toMatchObject({ failed: 0 });
    expect(readdirSync(folder)).toEqual(left);
    await bulk.delete(from, { keys: ['big'] });
    expect(await fetch()).toMatchObject({ failed: 0 });
    expect(readdirSync(folder)).toEqual(['small']);
  });
});
