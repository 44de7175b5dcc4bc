import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

const LANE = JSON.stringify(new URL('../../server/service/runtime/threads/hash-thread.ts', import.meta.url).href);
/** Must be of shared memory. */
const BYTES = "Buffer.from(new SharedArrayBuffer(3)).fill('abc')";

const run = (work: string) =>
  spawnSync(
    process.execPath,
    [
      '--import',
      'tsx',
      '--input-type=module',
      '-e',
      `import { HashLane } from ${LANE}; const lane = new HashLane(['md5']); ${work}`,
    ],
    { encoding: 'utf8', timeout: 20_000 },
  );

// A service that was told to stop ends by itself, when nothing is left to do.
it.each([
  ['was never given anything', ''],
  ['was let go before its first bytes', 'lane.drop();'],
  ['has answered', `await lane.update(${BYTES}); console.log(...(await lane.digests()));`],
])('a thread keeps no process alive that %s', (_, work) => {
  const { status, signal, stderr } = run(work);
  expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: '' });
});

it('a thread keeps the process for an answer that is awaited', () => {
  const { stdout } = run(`await lane.update(${BYTES}); console.log(...(await lane.digests()));`);
  expect(stdout.trim()).toBe('900150983cd24fb0d6963f7d28e17f72');
});
