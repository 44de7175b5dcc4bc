import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { COMMAND_PATH, runCommandProcess } from '../cli/run-command.js';

const DESCRIPTORS = 300;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Starts the service as a process with a low limit of open files. */
async function startService() {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-descriptors-'));
  cleanups.push(() => rm(dataDir, { recursive: true, force: true }));
  const key = (
    await runCommandProcess(['keys', 'create', '--data-dir', dataDir, '--name', 'test', '--preset', 'full'])
  ).stdout.trim();
  const command = [process.execPath, COMMAND_PATH, 'serve', '--data-dir', dataDir, '--port', '0', '--s3-port', '0'];
  const child = spawn('sh', ['-c', `ulimit -n ${DESCRIPTORS}; exec "$@"`, 'sh', ...command], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, DRAIN_SECONDS: '0' },
  });
  cleanups.push(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  await expect.poll(() => output).toMatch(/listens on \S+, S3 on \S+;/);
  const [, url, s3Url] = /listens on (\S+), S3 on (\S+);/.exec(output)!;
  return { child, key, url: url!, s3Url: s3Url! };
}

interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Sends several requests over one connection. */
function keptConnection(base: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  cleanups.push(() => agent.destroy());
  return async (method: string, path: string, key?: string, body?: Buffer): Promise<Reply> => {
    const headers = { ...(key !== undefined && { authorization: `Bearer ${key}` }), 'content-length': body?.length ?? 0 };
    const sent = request(new URL(path, base), { method, agent, headers }).end(body);
    const [response] = await once(sent, 'response');
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  };
}

it.skipIf(process.platform !== 'linux')('a service without free file descriptors returns 503 and recovers', async () => {
  const { child, key, url, s3Url } = await startService();
  const [rest, s3] = [keptConnection(url), keptConnection(s3Url)];
  const large = Buffer.alloc(300_000);
  expect(await rest('PUT', '/v1/files/a.bin?visibility=public', key, large)).toMatchObject({ status: 201 });
  expect(await s3('GET', '/main/a.bin')).toMatchObject({ status: 200 });

  const idle: Socket[] = [];
  let refused = 0;
  for (let count = 0; count < 2 * DESCRIPTORS; count++)
    idle.push(
      connect(Number(new URL(url).port), '127.0.0.1')
        .on('error', () => {})
        .on('close', () => (refused += 1)),
    );
  cleanups.push(() => idle.forEach((socket) => socket.destroy()));
  await expect.poll(() => refused).toBeGreaterThan(DESCRIPTORS);

  const requests: [method: string, path: string, body?: Buffer][] = [
    ['GET', '/f/main/a.bin'],
    ['PUT', '/v1/files/small.txt', Buffer.from('small')],
    ['PUT', '/v1/files/large.bin', large],
  ];
  for (const [method, path, body] of requests) {
    const httpResponse = await rest(method, path, key, body);
    expect(httpResponse).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    expect(JSON.parse(httpResponse.body)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  }
  const overS3 = await s3('GET', '/main/a.bin');
  expect(overS3).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  expect(overS3.body).toContain('<Code>ServiceUnavailable</Code>');

  for (const socket of idle) socket.destroy();
  await expect.poll(async () => (await rest('GET', '/readyz')).status).toBe(200);
  for (const [method, path, body] of requests)
    expect((await rest(method, path, key, body)).status).toBe(method === 'GET' ? 200 : 201);
  expect(await s3('GET', '/main/a.bin')).toMatchObject({ status: 200 });
  expect(child.exitCode).toBeNull();
});
