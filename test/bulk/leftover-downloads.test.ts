import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DiskJournal, FolderTarget, walk } from '../../src/bulk/node/index.js';
import type { DownloadOptions } from '../../src/bulk/node/index.js';
import { runCommand } from '../cli/run-command.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import type { SeenRequest } from '../../fault-proxy/fault-proxy.js';
import { createBucket, createTransfer, createFolder, s3, s3Environment, writeFiles } from './s3-store.js';

const MiB = 1024 * 1024;

describe('the partial file of an interrupted download', () => {
  it.each(['download', 'sync'])('is deleted by the next %s if its object is gone', async (operation) => {
    await using proxy = await startFaultProxy(s3.endpoint);
    const bulk = createTransfer({ endpoint: proxy.url });
    const [source, folder, state] = [createFolder(), createFolder(), join(createFolder(), 'j')];
    mkdirSync(join(source, 'sub'));
    for (const name of ['big', 'sub/big']) writeFileSync(join(source, name), randomBytes(23 * MiB));
    writeFileSync(join(source, 'small'), '1');
    const from = { bucket: await createBucket(), prefix: '' };
    await bulk.upload(walk(source), from);
    const target = new FolderTarget(folder);
    const transfer = (more: Pick<DownloadOptions, 'filter'> = {}) => {
      const journal = new DiskJournal(state, { keepSettled: false });
      const options = { partSize: 5 * MiB, retry: { tries: 1 }, journal, ...more };
      return operation === 'sync'
        ? bulk.syncDown(from, target, () => walk(folder, { sorted: true }), options)
        : bulk.download(from, target, options);
    };
    const isThirdRange = ({ headers }: SeenRequest) => headers.range?.startsWith('bytes=10485760-') === true;
    const broken = proxy.on({ method: 'GET', when: isThirdRange, fault: { respond: { status: 500 } } });
    expect(await transfer()).toMatchObject({ failed: 2 });
    broken.remove();
    const remaining = readdirSync(folder);
    expect(remaining).toEqual([expect.stringMatching(/^\.svc-.*\.part$/), 'small', 'sub']);
    // A transfer that excludes the object keeps the partial file.
    expect(await transfer({ filter: (path) => !path.endsWith('big') })).toMatchObject({ failed: 0 });
    expect(readdirSync(folder)).toEqual(remaining);
    expect(readdirSync(join(folder, 'sub'))).toHaveLength(1);
    // The folder of the partial file may be gone already.
    rmSync(join(folder, 'sub'), { recursive: true });
    writeFileSync(join(folder, 'sub'), '');
    await bulk.delete(from, { keys: ['big', 'sub/big'] });
    expect(await transfer()).toMatchObject({ failures: [] });
    expect(readdirSync(folder)).toEqual(['small', 'sub']);
  });

  it('without a journal is reported by sync after a week, and deleted by sync --delete', async () => {
    const [bucket, folder, state] = [await createBucket(), createFolder(), createFolder()];
    const sync = (...args: string[]) =>
      runCommand(['sync', `s3://${bucket}`, folder, ...args], { ...s3Environment(), XDG_STATE_HOME: state });
    const source = createFolder();
    writeFileSync(join(source, 'a'), 'a');
    await createTransfer().upload(walk(source), { bucket, prefix: '' });
    mkdirSync(join(folder, 'kept'));
    const [old, young, excluded] = ['.svc-1a00000000000.part', '.svc-2b00000000000.part', 'kept/.svc-3c00000000000.part'];
    for (const name of [old, young, excluded]) writeFileSync(join(folder, name), 'bytes');
    for (const name of [old, excluded]) utimesSync(join(folder, name), 1e9, 1e9);
    const outcome = await sync('--exclude', '/kept');
    expect(outcome.stderr).toMatch(/^an interrupted download left \.svc-1a00000000000\.part \(5 B\).*\ncopied 1 file/);
    const event = JSON.parse((await sync('--exclude', '/kept', '--json')).stdout.split('\n')[0]!) as unknown;
    expect(event).toEqual({ type: 'leftover', name: old, size: 5 });
    expect(await sync('--exclude', '/kept', '--delete', '-n')).toMatchObject({ stdout: `would delete ${old} (5 B)\n` });
    expect(existsSync(join(folder, old))).toBe(true);
    expect(await sync('--exclude', '/kept', '--delete')).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('deleted 1 file'),
    });
    expect(readdirSync(folder).sort()).toEqual([young, 'a', 'kept']);
    expect(readdirSync(join(folder, 'kept'))).toHaveLength(1);
    // An unfinished transfer may still need the file.
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

  it('is recognized by its exact name, and only if it is a file', () => {
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
