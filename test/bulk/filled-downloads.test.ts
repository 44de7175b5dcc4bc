import { execFile } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build as bundle } from 'vite';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createBulkTransfer, FolderTarget } from '../../src/bulk/node/index.js';
import { NodeWire } from '../../src/bulk/node/http/http-client.js';
import { asked, bytes, faults, folder, MiB, origins, start, stop, tls } from './one-object.js';

beforeAll(start, 120_000);
afterAll(stop);

type Loaded = Pick<typeof import('../../src/bulk/node/index.js'), 'createBulkTransfer' | 'FolderTarget'>;

describe('a large download', () => {
  const at = (scheme: string): string => `${scheme}://${origins[scheme]!.host}`;
  const file = (name: string): Buffer => readFileSync(join(folder, name));
  /** Of the sources, or of what was loaded anew. */
  async function down(
    name: string,
    wire = new NodeWire({ tls }),
    scheme = 'http',
    of: Loaded = { createBulkTransfer, FolderTarget },
  ) {
    const bulk = of.createBulkTransfer({ endpoint: at(scheme), credentials: 'anonymous', wire });
    const from = { bucket: 'b', prefix: 'one' };
    return bulk.downloadExact(from, new of.FolderTarget(folder), name, { partSize: 5 * MiB }).finally(() => bulk.close());
  }

  afterEach(() => void (faults.length = 0));

  it('is whole after ranges that broke off', async () => {
    faults.push('cut', 'cut', 'cut');
    const before = asked;
    expect(await down('broken')).toMatchObject({ files: 1, bytes: bytes.length, failed: 0 });
    expect(asked - before).toBe(13);
    expect(file('broken').equals(bytes)).toBe(true);
  });

  it('is none when the store sends other ranges than it was asked for', async () => {
    faults.push('cut', 'wrong');
    expect(await down('wrong')).toMatchObject({ files: 0, failures: [{ code: 'UnexpectedAnswer' }] });
  });

  it('comes over TLS, and without other threads where they cannot be told how to connect', async () => {
    for (const more of [{}, { checkServerIdentity: () => undefined }]) {
      const wire = new NodeWire({ tls: { ...tls, ...more } });
      let able: boolean | undefined;
      // It closes the wire.
      const running = down('secure', wire, 'https');
      const look = setInterval(() => (able = wire.fillsFiles), 1);
      expect(await running.finally(() => clearInterval(look))).toMatchObject({ files: 1, failed: 0, retries: 0 });
      expect(able).toBe(more.checkServerIdentity === undefined);
      expect(file('secure').equals(bytes)).toBe(true);
    }
  });

  it('is of any bundle, of modules or not', async () => {
    const script = join(folder, 'in.mjs');
    writeFileSync(
      script,
      `import { createBulkTransfer, FolderTarget } from ${JSON.stringify(join(process.cwd(), 'dist/s3-node.js'))};
      const bulk = createBulkTransfer({ endpoint: '${at('http')}', credentials: 'anonymous' });
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
    expect(file('bundled').equals(bytes)).toBe(true);
  });

  it('is shown to this thread where a bandwidth is kept to, which knows what all bring', () => {
    expect([new NodeWire({ bandwidth: MiB }).fillsFiles, new NodeWire().fillsFiles]).toEqual([false, true]);
  });

  let begun: boolean;
  /** Ends when it is told anything. */
  class Ending extends EventEmitter {
    constructor() {
      super();
      begun = true;
    }
    ref(): void {}
    unref(): void {}
    terminate(): void {}
    postMessage(): void {
      setImmediate(() => this.emit('exit', 1));
    }
  }
  function Refused(): never {
    begun = true;
    throw Object.assign(new Error('Access to this API has been restricted'), { code: 'ERR_ACCESS_DENIED' });
  }

  // A system that has no more threads cannot be had for a test.
  it.each([
    ['since none can be made', Refused],
    ['since it ends', Ending],
  ])('needs no other thread, %s', async (_, Worker) => {
    vi.resetModules();
    begun = false;
    vi.doMock('node:worker_threads', () => ({ Worker }));
    try {
      const fresh = await import('../../src/bulk/node/index.js');
      const summary = await down(Worker.name, new fresh.NodeWire(), 'http', fresh);
      expect(summary).toMatchObject({ files: 1, bytes: bytes.length, failed: 0, retries: 0 });
      expect(file(Worker.name).equals(bytes)).toBe(true);
      expect(begun).toBe(true);
    } finally {
      vi.doUnmock('node:worker_threads');
    }
  });

  it('leaves no thread that keeps the process', async () => {
    const code = `
      const { createBulkTransfer, FolderTarget } = await import('./dist/s3-node.js');
      let answers = 0;
      process.on('worker', (worker) => worker.on('message', (report) => (answers += 'answer' in report)));
      const bulk = createBulkTransfer({ endpoint: '${at('http')}', credentials: 'anonymous' });
      await bulk.downloadExact({ bucket: 'b', prefix: 'one' }, new FolderTarget(${JSON.stringify(folder)}), 'kept', { partSize: 5 * ${MiB} });
      console.log(answers);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { timeout: 10_000 });
    expect(Number(stdout)).toBeGreaterThan(0);
    expect(file('kept').equals(bytes)).toBe(true);
  });
});
