import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { walk } from '../../src/bulk/node/index.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import { startCommand, runCommandProcess } from '../cli/run-command.js';
import { commandEnvironment } from './run-command.js';
import { createBucket, createFolder, createTransfer, listUnfinishedUploads, s3 } from './s3-store.js';

const MiB = 1024 * 1024;

describe('an interrupted svc-blob command', () => {
  it('ends on SIGTERM while it waits for input or for the reader of its output', async () => {
    const bucket = await createBucket();
    const folder = createFolder();
    writeFileSync(join(folder, 'big'), randomBytes(9 * MiB));
    await createTransfer().upload(walk(folder), { bucket, prefix: '' });
    for (const args of [
      ['cp', '-', `s3://${bucket}/in`, '--json'],
      ['cp', '--files-from', '-', folder, `s3://${bucket}/x`, '--json'],
      ['rm', '--files-from', '-', `s3://${bucket}`, '--json'],
      ['cat', `s3://${bucket}/big`],
    ]) {
      // The first output shows that the command is working. The test reads no more of it.
      const child = startCommand(args, commandEnvironment(), 'pipe');
      await once(child.stdout, 'data');
      child.stdout.pause();
      child.kill('SIGTERM');
      expect([args[0], await once(child, 'exit')]).toEqual([args[0], [130, null]]);
    }
    expect(await listUnfinishedUploads(bucket)).toEqual([]);
  });

  it('promises to resume only if the command can resume', async () => {
    const [bucket, folder] = [await createBucket(), createFolder()];
    const file = join(folder, 'big');
    writeFileSync(file, randomBytes(9 * MiB));
    await createTransfer().upload(walk(folder), { bucket, prefix: '' });
    await using proxy = await startFaultProxy(s3.endpoint);
    proxy.on({ path: /big/, fault: { delay: 60_000 } });
    const [resumes, restarts] = ['Run the same command again. It resumes where it stopped.\n', 'Run the same command again.\n'];
    for (const [args, advice] of [
      [['cp', file, `s3://${bucket}`], resumes],
      [['cp', '-r', `s3://${bucket}`, createFolder()], resumes],
      [['cp', '--no-resume', file, `s3://${bucket}`], restarts],
      [['cat', `s3://${bucket}/big`], restarts],
      [['cp', `s3://${bucket}/big`, '-'], restarts],
    ] as const) {
      const child = startCommand([...args], commandEnvironment(proxy.url));
      const stderr = text(child.stderr);
      const countRequests = () => proxy.requests.filter(({ path }) => path.includes('big')).length;
      const before = countRequests();
      await expect.poll(countRequests).toBeGreaterThan(before);
      child.kill('SIGINT');
      expect([args, await once(child, 'close')]).toEqual([args, [130, null]]);
      expect([args, (await stderr).replace(/^[^]*?(?=svc-blob: )/, '')]).toEqual([
        args,
        `svc-blob: Aborted: The transfer was stopped.\n${advice}`,
      ]);
    }
    const unreachable = { ...commandEnvironment('http://127.0.0.1:1'), AWS_REGION: 'us-east-1' };
    for (const [args, canResume] of [
      [['cat', `s3://${bucket}/big`], false],
      [['cp', '-r', folder, `s3://${bucket}`], true],
    ] as const) {
      const { stderr } = await runCommandProcess([...args, '--retries', '1'], unreachable);
      expect(stderr).toContain('then run the same command again.');
      expect([args, stderr.includes('It resumes where it stopped.')]).toEqual([args, canResume]);
    }
  });

  it('reports how many files are left if an error ends it early', async () => {
    const [bucket, folder] = [await createBucket(), createFolder()];
    for (let i = 0; i < 300; i++) writeFileSync(join(folder, `f${i}`), 'x');
    const wrongSecret = { ...commandEnvironment(), AWS_SECRET_ACCESS_KEY: 'wrong' };
    const outcome = await runCommandProcess(['cp', '-r', folder, `s3://${bucket}`], wrongSecret);
    expect(outcome).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^1 failed; stopped by SignatureDoesNotMatch, 299 files not done$/m),
    });
    const { stdout } = await runCommandProcess(['cp', '-r', folder, `s3://${bucket}`, '--json'], wrongSecret);
    const summary = JSON.parse(stdout.trim().split('\n').at(-1)!) as unknown;
    expect(summary).toMatchObject({ type: 'summary', failed: 1, ended: 'SignatureDoesNotMatch', undone: 299 });
  });

  it.each([
    ['-q', /Failed:\n {2}AccessDenied[^]* {4}(one|two)\n/],
    ['--json', /"type":"summary".*"failed":1/],
  ])('reports earlier failures when SIGTERM ends it (%s)', async (flag, report) => {
    const bucket = await createBucket();
    const folder = createFolder();
    for (const name of ['one', 'two']) writeFileSync(join(folder, name), name);
    await using proxy = await startFaultProxy(s3.endpoint);
    const upload = { method: 'PUT', path: /(one|two)$/ };
    proxy.on({ ...upload, times: 1, fault: { respond: { status: 403 } } });
    const second = proxy.on({ ...upload, skip: 1, fault: { delay: 60_000 } });
    // With one request at a time, the second one starts after the command has recorded the failure of the first.
    const args = ['cp', '-r', folder, `s3://${bucket}`, '--concurrency', '1', flag];
    const child = startCommand(args, commandEnvironment(proxy.url));
    const output = Promise.all([text(child.stdout), text(child.stderr)]);
    await expect.poll(() => second.hits).toBe(1);
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([130, null]);
    expect((await output).join('')).toMatch(report);
  });
});
