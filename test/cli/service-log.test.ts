import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startCommand } from './run-command.js';

// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

it('the log of svc-blob serve holds no characters that steer a terminal, whatever strangers ask for', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-log-'));
  const service = startCommand(['serve', '--data-dir', dataDir, '--port', '0', '--s3-port', '0']);
  let log = '';
  let text = '';
  service.stdout.on('data', (chunk) => (log += String(chunk)));
  service.stderr.on('data', (chunk) => (text += String(chunk)));
  const key = '\u009b2J\u001b]0;title\u0007\u202eevil\u2028\u007f';
  await expect.poll(() => text, { timeout: 30_000 }).toMatch(/S3 on http:\/\/[\d.:]+/);
  await fetch(`${/S3 on (http:\/\/[\d.:]+)/.exec(text)![1]}/main/${encodeURIComponent(key)}`);
  await expect.poll(() => log).toContain('s3 request');
  const line = log.split('\n').find((one) => one.includes('"s3 request"'))!;
  expect((JSON.parse(line) as { s3: { key: string } }).s3.key).toBe(key);
  expect(log).not.toMatch(CONTROLS);
  service.kill();
  await rm(dataDir, { recursive: true, force: true });
}, 60_000);
