import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startServe } from './start-serve.js';

// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
/** Clears the screen, sets the window title and reverses text. */
const KEY_WITH_CONTROLS = '\u009b2J\u001b]0;title\u0007\u202eevil\u2028\u007f';

it('the log of svc-blob serve escapes control characters of a requested key', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-log-'));
  const service = await startServe(dataDir);
  onTestFinished(async () => {
    service.kill('SIGTERM');
    await service.ended;
    await rm(dataDir, { recursive: true, force: true });
  });

  await fetch(`${service.s3Url}/main/${encodeURIComponent(KEY_WITH_CONTROLS)}`);
  await expect.poll(service.readLog).toContain('"s3 request"');

  const log = service.readLog();
  const line = log.split('\n').find((text) => text.includes('"s3 request"'))!;
  expect(log).not.toMatch(CONTROLS);
  expect(JSON.parse(line)).toMatchObject({ s3: { key: KEY_WITH_CONTROLS } });
});
