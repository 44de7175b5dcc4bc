import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FolderTarget, walk } from '../../src/s3/node/index.js';
import type { SyncOptions } from '../../src/s3/node/index.js';
import { startFaultProxy } from '../setup/fault-proxy.js';
import { newBucket, newBulk, newFolder, s3 } from './engine.js';

const tree = (folder: string) => () => walk(folder, { sorted: true });

function write(folder: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

describe.skipIf(s3 === undefined)('sync down', () => {
  it('makes way for a directory where a file stood, and removes no more where that does not come', async () => {
    const [source, folder] = [newFolder(), newFolder()];
    write(source, { 'a-b': '1', 'a/x': '2', 'a/y/z': '3' });
    write(folder, { a: 'file', 'a-b': '1', old: '4' });
    const bucket = await newBucket();
    await newBulk().upload(walk(source), { bucket, prefix: '' });
    await using proxy = await startFaultProxy(s3!.endpoint);
    const bulk = newBulk({ endpoint: proxy.url });
    const down = (options: SyncOptions) =>
      bulk.syncDown({ bucket, prefix: '' }, new FolderTarget(folder), tree(folder), { compare: 'size', ...options });
    expect(await down({ delete: true, dryRun: true })).toMatchObject({ files: 2, skipped: 1, deleted: 2, failed: 0 });
    const kept = await down({ delete: true, maxDelete: 1 });
    expect(kept).toMatchObject({ deleted: 0, failed: 3 });
    expect(kept.failures.map(({ code }) => code)).toEqual(['NameTaken', 'NameTaken', 'TooMuchToDelete']);
    expect(readdirSync(folder)).toEqual(['a', 'a-b', 'old']);
    const refused = proxy.on({ method: 'GET', path: /z$/, fault: { answer: { status: 403 } } });
    expect(await down({ delete: true })).toMatchObject({ files: 1, deleted: 1, failed: 2 });
    expect(readdirSync(folder)).toEqual(['a', 'a-b', 'old']);
    refused.remove();
    expect(await down({ delete: true })).toMatchObject({ files: 1, skipped: 2, deleted: 1, failed: 0 });
    expect([...walk(folder)].map(({ path }) => path).sort()).toEqual(['a-b', 'a/x', 'a/y/z']);
  });
});
