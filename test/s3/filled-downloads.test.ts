import { execFile } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build as bundle } from 'vite';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createBulkTransfer, FolderTarget } from '../../src/s3/node/index.js';
import { NodeWire } from '../../src/s3/node/wire.js';
import { asked, bytes, faults, folder, MiB, origins, start, stop, tls } from './one-object.js';

beforeAll(start, 120_000);
afterAll(stop);

describe('a large download', () => {
  const down = async (name: string): Promise<Buffer> => {
    const bulk = createBulkTransfer({ endpoint: `http://${origins['http']!.host}`, credentials: 'anonymous' });
    try {
      const from = { bucket: 'b', prefix: 'one' };
      const summary = await bulk.downloadExact(from, new FolderTarget(folder), name, { partSize: 5 * MiB });
      expect(summary).toMatchObject({ files: 1, bytes: bytes.length, failed: 0 });
      return readFileSync(join(folder, name));
    } finally {
      bulk.close();
    }
  };

  it('is whole after ranges that broke off, and others than were asked for', async () => {
    faults.push('cut', 'cut', 'cut');
    const before = asked;
    expect((await down('broken')).equals(bytes)).toBe(true);
    expect(asked - before).toBe(13);
    faults.push('cut', 'wrong');
    const bulk = createBulkTransfer({ endpoint: `http://${origins['http']!.host}`, credentials: 'anonymous' });
    const from = { bucket: 'b', prefix: 'one' };
    const summary = await bulk.downloadExact(from, new FolderTarget(folder), 'wrong', { partSize: 5 * MiB });
    expect(summary).toMatchObject({ files: 0, failures: [{ code: 'UnexpectedAnswer' }] });
    bulk.close();
  });

  it('goes without other threads where they cannot be told how to connect', async () => {
    const endpoint = `https://${origins['https']!.host}`;
    const wire = new NodeWire({ tls: { ...tls, checkServerIdentity: () => undefined } });
    const bulk = createBulkTransfer({ endpoint, credentials: 'anonymous', wire });
    const from = { bucket: 'b', prefix: 'one' };
    const summary = await bulk.downloadExact(from, new FolderTarget(folder), 'untold', { partSize: 5 * MiB });
    expect(summary).toMatchObject({ files: 1, failed: 0, retries: 0 });
    expect(readFileSync(join(folder, 'untold')).equals(bytes)).toBe(true);
    expect(wire.fillsFiles).toBe(false);
    bulk.close();
  });

  it('is of any bundle, of modules or not', async () => {
    const script = join(folder, 'in.mjs');
    writeFileSync(
      script,
      `import { createBulkTransfer, FolderTarget } from ${JSON.stringify(join(process.cwd(), 'dist/s3-node.js'))};
      const bulk = createBulkTransfer({ endpoint: 'http://${origins['http']!.host}', credentials: 'anonymous' });
      const target = new FolderTarget(${JSON.stringify(folder)});
      void bulk.downloadExact({ bucket: 'b', prefix: 'one' }, target, 'bundled', { partSize: 5 * ${MiB} });`,
    );
    await bundle({
      configFile: false,
      logLevel: 'silent',
      ssr: { noExternal: true },
      build: {
        ssr: script,
        outDir: folder,
        emptyOutDir: false,
        rolldownOptions: { output: { format: 'cjs', entryFileNames: 'out.cjs' } },
      },
    });
    await promisify(execFile)(process.execPath, [join(folder, 'out.cjs')], { timeout: 20_000 });
    expect(readFileSync(join(folder, 'bundled')).equals(bytes)).toBe(true);
  });

  it('goes by this thread alone where a bandwidth is kept to, which knows what all bring', () => {
    expect([new NodeWire({ bandwidth: MiB }).fillsFiles, new NodeWire().fillsFiles]).toEqual([false, true]);
  });

  /** Ends when it is told anything. */
  class Ending extends EventEmitter {
    ref(): void {}
    unref(): void {}
    terminate(): void {}
    postMessage(): void {
      setImmediate(() => this.emit('exit', 1));
    }
  }
  function Refused(): never {
    throw Object.assign(new Error('Access to this API has been restricted'), { code: 'ERR_ACCESS_DENIED' });
  }

  // A system that has no more threads cannot be had for a test.
  it.each([
    ['since none can be made', Refused],
    ['since it ends', Ending],
  ])('needs no other thread, %s', async (_, Worker) => {
    vi.resetModules();
    vi.doMock('node:worker_threads', () => ({ Worker }));
    try {
      const fresh = await import('../../src/s3/node/index.js');
      const bulk = fresh.createBulkTransfer({ endpoint: `http://${origins['http']!.host}`, credentials: 'anonymous' });
      const from = { bucket: 'b', prefix: 'one' };
      const summary = await bulk.downloadExact(from, new fresh.FolderTarget(folder), 'alone', { partSize: 5 * MiB });
      expect(summary).toMatchObject({ files: 1, bytes: bytes.length, failed: 0, retries: 0 });
      expect(readFileSync(join(folder, 'alone')).equals(bytes)).toBe(true);
      bulk.close();
    } finally {
      vi.doUnmock('node:worker_threads');
    }
  });

  it('leaves no thread that keeps the process', async () => {
    const code = `
      const { createBulkTransfer, FolderTarget } = await import('./dist/s3-node.js');
      let answers = 0;
      process.on('worker', (worker) => worker.on('message', (report) => (answers += 'answer' in report)));
      const bulk = createBulkTransfer({ endpoint: 'http://${origins['http']!.host}', credentials: 'anonymous' });
      await bulk.downloadExact({ bucket: 'b', prefix: 'one' }, new FolderTarget(${JSON.stringify(folder)}), 'kept', { partSize: 5 * ${MiB} });
      console.log(answers);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { timeout: 20_000 });
    expect(Number(stdout)).toBeGreaterThan(0);
    expect(readFileSync(join(folder, 'kept')).equals(bytes)).toBe(true);
  });
});
