import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

const MODULE = JSON.stringify(new URL('../../server/service/runtime/threads/threaded-hash.ts', import.meta.url).href);
/** `update` takes shared memory. */
const BYTES = "Buffer.from(new SharedArrayBuffer(3)).fill('abc')";

const run = (work: string) =>
  spawnSync(
    process.execPath,
    [
      '--import',
      'tsx',
      '--input-type=module',
      '-e',
      `import { ThreadedHash } from ${MODULE}; const hash = new ThreadedHash(['md5']); ${work}`,
    ],
    { encoding: 'utf8', timeout: 60_000 },
  );

describe('a hash thread', () => {
  it.each([
    ['it was never given bytes', ''],
    ['its hash was discarded before the first bytes', 'hash.discard();'],
    ['it has responded', `await hash.update(${BYTES}); console.log(...(await hash.digests()));`],
  ])('lets the process end when %s', (_, work) => {
    const { status, signal, stderr } = run(work);
    expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: '' });
  });

  it('keeps the process alive until an awaited response', () => {
    const { stdout } = run(`await hash.update(${BYTES}); console.log(...(await hash.digests()));`);
    expect(stdout.trim()).toBe('900150983cd24fb0d6963f7d28e17f72');
  });
});
