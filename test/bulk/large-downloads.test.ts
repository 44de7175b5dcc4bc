// Own process: mocks modules.
import { execFile } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build as bundle } from 'vite';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createBulkTransfer, FolderTarget } from '../../src/bulk/node/index.js';
import { NodeHttpClient } from '../../src/bulk/node/http/http-client.js';
import {
  getCount,
  objectBytes,
  nextFaults,
  serverFolder,
  MiB,
  origins,
  startObjectServer,
  stopObjectServer,
  tls,
} from './object-server.js';

beforeAll(startObjectServer, 120_000);
afterAll(stopObjectServer);

type Loaded = Pick<typeof import('../../src/bulk/node/index.js'), 'createBulkTransfer' | 'FolderTarget'>;

describe('a large download', () => {
  const endpointOf = (scheme: string): string => `${scheme}://${origins[scheme]!.host}`;
  const readTarget = (name: string): Buffer => readFileSync(join(serverFolder, name));
  /** @param modules the imported modules, or freshly loaded ones */
  async function download(
    name: string,
    wire = new NodeHttpClient({ tls }),
    scheme = 'http',
    modules: Loaded = { createBulkTransfer, FolderTarget },
  ) {
    const bulk = modules.createBulkTransfer({ endpoint: endpointOf(scheme), credentials: 'anonymous', wire });
    const from = { bucket: 'b', prefix: 'one' };
    return bulk
      .downloadExact(from, new modules.FolderTarget(serverFolder), name, { partSize: 5 * MiB })
      .finally(() => bulk.close());
  }

  afterEach(() => void (nextFaults.length = 0));

  it('is complete after interrupted range responses', async () => {
    nextFaults.push('cut', 'cut', 'cut');
    const before = getCount;
    expect(await download('broken')).toMatchObject({ files: 1, bytes: objectBytes.length, failed: 0 });
    expect(getCount - before).toBe(13);
    expect(readTarget('broken').equals(objectBytes)).toBe(true);
  });

  it('is rejected if the store sends other ranges than requested', async () => {
    nextFaults.push('cut', 'wrong');
    expect(await download('wrong')).toMatchObject({ files: 0, failures: [{ code: 'UnexpectedAnswer' }] });
  });

  it('is complete over TLS', async () => {
    expect(await download('secure', new NodeHttpClient({ tls }), 'https')).toMatchObject({ files: 1, failed: 0, retries: 0 });
    expect(readTarget('secure').equals(objectBytes)).toBe(true);
  });

  it('is rejected if the store sends more than was requested', async () => {
    nextFaults.push('long');
    expect(await download('long')).toMatchObject({ files: 0, failures: [{ code: 'UnexpectedAnswer' }] });
  });

  it('works in a CommonJS bundle', async () => {
    const script = join(serverFolder, 'in.mjs');
    writeFileSync(
      script,
      `import { createBulkTransfer, FolderTarget } from ${JSON.stringify(join(process.cwd(), 'dist/s3-node.js'))};
      const bulk = createBulkTransfer({ endpoint: '${endpointOf('http')}', credentials: 'anonymous' });
      const target = new FolderTarget(${JSON.stringify(serverFolder)});
      void bulk.downloadExact({ bucket: 'b', prefix: 'one' }, target, 'bundled', { partSize: 5 * ${MiB} });`,
    );
    await bundle({
      configFile: false,
      logLevel: 'silent',
      ssr: { noExternal: true },
      build: {
        ssr: script,
        outDir: serverFolder,
        emptyOutDir: false,
        rolldownOptions: { output: { format: 'cjs', entryFileNames: 'out.cjs' } },
      },
    });
    await promisify(execFile)(process.execPath, [join(serverFolder, 'out.cjs')], { timeout: 60_000 });
    expect(readTarget('bundled').equals(objectBytes)).toBe(true);
  });

  let hasStarted: boolean;
  /** A worker that ends at the first message. */
  class EndingWorker extends EventEmitter {
    constructor() {
      super();
      hasStarted = true;
    }
    ref(): void {}
    unref(): void {}
    terminate(): void {}
    postMessage(): void {
      setImmediate(() => this.emit('exit', 1));
    }
  }
  function RefusedWorker(): never {
    hasStarted = true;
    throw Object.assign(new Error('Access to this API has been restricted'), { code: 'ERR_ACCESS_DENIED' });
  }

  // A mock, because a test cannot exhaust the threads of the system.
  it.each([
    ['cannot be started', RefusedWorker],
    ['ends', EndingWorker],
  ])('succeeds if the worker thread %s', async (_, Worker) => {
    vi.resetModules();
    hasStarted = false;
    vi.doMock('node:worker_threads', () => ({ Worker }));
    try {
      const fresh = await import('../../src/bulk/node/index.js');
      const summary = await download(Worker.name, new fresh.NodeHttpClient(), 'http', fresh);
      expect(summary).toMatchObject({ files: 1, bytes: objectBytes.length, failed: 0, retries: 0 });
      expect(readTarget(Worker.name).equals(objectBytes)).toBe(true);
      expect(hasStarted).toBe(true);
    } finally {
      vi.doUnmock('node:worker_threads');
    }
  });

  it('starts the worker file of the build, which does not keep the process alive', async () => {
    const code = `
      const { createBulkTransfer, FolderTarget } = await import('./dist/s3-node.js');
      let responses = 0;
      process.on('worker', (worker) => worker.on('message', () => responses++));
      const bulk = createBulkTransfer({ endpoint: '${endpointOf('http')}', credentials: 'anonymous' });
      const target = new FolderTarget(${JSON.stringify(serverFolder)});
      // A busy machine may complete a download before the thread has started.
      while (responses === 0) await bulk.downloadExact({ bucket: 'b', prefix: 'one' }, target, 'kept', { partSize: 5 * ${MiB} });`;
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { timeout: 60_000 });
    expect(readTarget('kept').equals(objectBytes)).toBe(true);
  });
});
