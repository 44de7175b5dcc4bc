import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DiskJournal, FolderTarget, walk } from '../../src/bulk/node/index.js';
import type { DownloadOptions } from '../../src/bulk/node/index.js';
import { svcBlob } from '../cli/support.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import type { SeenRequest } from '../../fault-proxy/fault-proxy.js';
import { createBucket, createTransfer, createFolder, s3, s3Environment, writeFiles } from './s3-store.js';

const MiB = 1024 * 1024;

describe('what a download left that was cut short', () => {
  it.each(['download', 'sync'])('is dropped by the next %s, when its object is gone', async (way) => {
    await using proxy = await startFaultProxy(s3.endpoint);
    const bulk = createTransfer({ endpoint: proxy.url });
    const [source, folder, state] = [createFolder(), createFolder(), join(createFolder(), 'j')];
    mkdirSync(join(source, 'sub'));
    for (const name of ['big', 'sub/big']) writeFileSync(join(source, name), randomBytes(23 * MiB));
    writeFileSync(join(source, 'small'), '1');
    const from = { bucket: await createBucket(), prefix: '' };
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
    const broken = proxy.on({ method: 'GET', when: third, fault: { respond: { status: 500 } } });
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

  it('without anybody who knows of it, is named by a sync after a week, and dropped by one that deletes', async () => {
    const [bucket, folder, state] = [await createBucket(), createFolder(), createFolder()];
    const svc = (...args: string[]) =>
      svcBlob(['sync', `s3://${bucket}`, folder, ...args], { ...s3Environment(), XDG_STATE_HOME: state });
    const source = createFolder();
    writeFileSync(join(source, 'a'), 'a');
    await createTransfer().upload(walk(source), { bucket, prefix: '' });
    mkdirSync(join(folder, 'kept'));
    const [old, young, left] = ['.svc-1a00000000000.part', '.svc-2b00000000000.part', 'kept/.svc-3c00000000000.part'];
    for (const name of [old, young, left]) writeFileSync(join(folder, name), 'bytes');
    for (const name of [old, left]) utimesSync(join(folder, name), 1e9, 1e9);
    const told = await svc('--exclude', '/kept');
    expect(told.stderr).toMatch(/^an interrupted download left \.svc-1a00000000000\.part \(5 B\).*\ncopied 1 file/);
    const named = JSON.parse((await svc('--exclude', '/kept', '--json')).stdout.split('\n')[0]!) as unknown;
    expect(named).toEqual({ type: 'leftover', name: old, size: 5 });
    expect(await svc('--exclude', '/kept', '--delete', '-n')).toMatchObject({ stdout: `would have deleted ${old} (5 B)\n` });
    expect(existsSync(join(folder, old))).toBe(true);
    expect(await svc('--exclude', '/kept', '--delete')).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('deleted 1 file'),
    });
    expect(readdirSync(folder).sort()).toEqual([young, 'a', 'kept']);
    expect(readdirSync(join(folder, 'kept'))).toHaveLength(1);
    // A run that has something to go on with may need it.
    utimesSync(join(folder, young), 1e9, 1e9);
    const journal = () => new DiskJournal(join(state, 'j'), { keepSettled: false });
    const before = journal();
    before.begin({ key: 'big', size: 1, version: 'v', partSize: 1, begunMs: 1 });
    before.close(true);
    const filter = (path: string) => !path.startsWith('kept/');
    const tree = () => walk(folder, { sorted: true, leftOvers: true, filter });
    for (const deleted of [0, 1]) {
      const options = { delete: true, filter, journal: journal() };
      expect(await createTransfer().syncDown({ bucket, prefix: '' }, new FolderTarget(folder), tree, options)).toMatchObject({
        deleted,
      });
    }
  });

  it('is a file of such a name: a folder is somebody’s, and so is what is but named alike', () => {
    const folder = createFolder();
    writeFiles(folder, { '.svc-backup0000000.part/mine': 'x', '.svc-left000000000.part': 'x', '.svc-mine.part': 'x' });
    for (const path of ['.svc-backup0000000.part/mine', '.svc-left000000000.part']) utimesSync(join(folder, path), 1e9, 1e9);
    const found = [...walk(folder, { sorted: true, leftOvers: true })];
    expect(found.map(({ path, leftOver }) => [path, leftOver])).toEqual([
      ['.svc-backup0000000.part/mine', undefined],
      ['.svc-left000000000.part', true],
      ['.svc-mine.part', undefined],
    ]);
  });
});
