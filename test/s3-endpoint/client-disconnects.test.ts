import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestEndpoint } from './start-endpoint.js';
import { httpRequest, signer } from './signing.js';

let endpoint: TestEndpoint;
beforeAll(async () => {
  endpoint = await TestEndpoint.start();
  const created = await endpoint.send('PUT', '/main/large', { body: randomBytes(20_000_000) });
  expect(created.status).toBe(200);
});
afterAll(() => endpoint.stop());

const readMetrics = async () => (await fetch(`${endpoint.restUrl}/metrics`)).text();

/** Counts the running requests of both ports, without the one that reads the metrics. */
async function countRequests(): Promise<number> {
  const counts = (await readMetrics()).matchAll(/^svc_(?:http|s3)_requests_in_progress(?:\{.*\})? (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), -1);
}

/** The head of a request and the first bytes of its body. A download is complete. */
type Begun = () => Promise<{ url: string; text: string }>;

const rest =
  (first: string, headers: Record<string, string> = {}, bytes = 'some bytes'): Begun =>
  async () => {
    const all = { host: 'a', authorization: `Bearer ${endpoint.apiKey}`, ...headers };
    return { url: endpoint.restUrl, text: text(first, all, bytes) };
  };

const s3 =
  (method: string, path: string, headers: Record<string, string> = {}, bytes = 'some bytes'): Begun =>
  async () => {
    const stated = { ...headers, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
    const signed = await signer(endpoint.pair).sign(httpRequest(method, endpoint.host, path, {}, stated));
    return { url: endpoint.url, text: text(`${method} ${path}`, signed.headers, bytes) };
  };

function text(first: string, headers: Record<string, string>, bytes: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const length = first.startsWith('GET') ? [] : ['content-length: 500000'];
  return [`${first} HTTP/1.1`, ...lines, ...length, '', bytes].join('\r\n');
}

const form = { 'content-type': 'multipart/form-data; boundary=b' };
const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nsome';
/** The endpoint responds to a file without a policy before its end. */
const field = '--b\r\nContent-Disposition: form-data; name="key"\r\n\r\nsome';

async function tus() {
  const headers = { authorization: `Bearer ${endpoint.apiKey}`, 'tus-resumable': '1.0.0', 'upload-length': '500000' };
  const describe = { 'upload-metadata': `filename ${Buffer.from('a.bin').toString('base64')}` };
  const created = await fetch(`${endpoint.restUrl}/v1/uploads`, { method: 'POST', headers: { ...headers, ...describe } });
  const bytes = { 'tus-resumable': '1.0.0', 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' };
  return rest(`PATCH ${created.headers.get('location')}`, bytes)();
}

it.each<[string, Begun]>([
  ['a file', rest('PUT /v1/files/a.bin')],
  ['a form', rest('POST /v1/files', form, part)],
  ['a batch', rest('POST /v1/files/batch', form, part)],
  ['a piece', tus],
  ['JSON', rest('POST /v1/upload-tokens', { 'content-type': 'application/json' }, '{')],
  ['an object', s3('PUT', '/main/a')],
  ['an object’s form', s3('POST', '/main', form, field)],
  ['the bytes of an object', s3('GET', '/main/large', {}, '')],
])('a client that disconnects during %s causes no internal error', async (_what, begun) => {
  for (const leave of ['destroy', 'end', 'resetAndDestroy'] as const) {
    const { url, text: begin } = await begun();
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname).on('error', () => {});
    await once(socket, 'connect');
    socket.write(begin);
    await expect.poll(countRequests, { interval: 5 }).toBe(1);
    socket[leave]();
    // No event tells that the service has read the end of a half-closed connection.
    if (leave === 'end') await sleep(50);
    socket.destroy();
    await expect.poll(countRequests, { interval: 5 }).toBe(0);
  }
  // Operators set alerts on this metric.
  expect(await readMetrics()).not.toMatch(/INTERNAL_SERVER_ERROR|InternalError/);
});
