// Own process: mocks modules.
import { EventEmitter } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'bulk-no-thread-'));
afterEach(() => {
  vi.doUnmock('node:worker_threads');
  rmSync(folder, { recursive: true, force: true });
});

/** A worker that ends at the first message. */
class EndingWorker extends EventEmitter {
  ref(): void {}
  unref(): void {}
  postMessage(): void {
    setImmediate(() => this.emit('exit', 1));
  }
}

function RefusedWorker(): never {
  throw Object.assign(new Error('Access to this API has been restricted'), { code: 'ERR_ACCESS_DENIED' });
}

// Mocks, because a test cannot exhaust the threads of the system.
describe('FolderTarget', () => {
  it.each([
    ['cannot be started', RefusedWorker],
    ['ends', EndingWorker],
  ])('writes files if the worker thread %s', async (_, Worker) => {
    vi.resetModules();
    vi.doMock('node:worker_threads', () => ({ Worker }));
    const { FolderTarget } = await import('../../src/bulk/node/files/folder-target.js');
    const target = new FolderTarget(folder);
    const names = Array.from({ length: 120 }, (_one, index) => `${index}`);
    await Promise.all(names.map((name) => target.make(name, target.memory(3).fill(65), { size: 3 })));
    const large = await target.open('large', false);
    const bytes = target.memory(300_000).fill(66);
    await Promise.all([large.write(300_000, bytes), large.write(0, bytes)]);
    await large.commit({ size: 600_000 });
    expect(readdirSync(folder)).toHaveLength(121);
    expect(names.every((name) => readFileSync(join(folder, name), 'utf8') === 'AAA')).toBe(true);
    expect(readFileSync(join(folder, 'large')).equals(Buffer.alloc(600_000, 66))).toBe(true);
  });
});
