import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { BatchResult } from '../../src/protocol/types.js';
import { TestService } from './support.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());
afterEach(() => service.advanceClock(0));

const MINUTE = 60_000;
const FORM = { 'Content-Type': 'multipart/form-data; boundary=b0und' };
/** Every route that starts an upload, with headers that promise a body. */
const ROUTES: [method: string, path: string, headers: Record<string, string>][] = [
  ['POST', '/v1/files', FORM],
  ['POST', '/v1/files', { 'Content-Disposition': 'attachment; filename=a.txt' }],
  ['PUT', '/v1/files/a.txt', {}],
  ['POST', '/v1/files/batch', FORM],
  [
    'POST',
    '/v1/uploads',
    {
      'Tus-Resumable': '1.0.0',
      'Upload-Length': '1000000',
      'Upload-Metadata': `filename ${btoa('a.txt')}`,
      'Content-Type': 'application/offset+octet-stream',
    },
  ],
];

/** Sends the headers of a request without its body. @returns the response, which must not wait for the body. */
function responseToHead([method, path, headers]: (typeof ROUTES)[number], token: string): Promise<string> {
  const { hostname, port } = new URL(service.ownUrl);
  const all = { Host: 'localhost', Authorization: `Bearer ${token}`, 'Content-Length': '1000000', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write([`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n')),
    );
    let text = '';
    socket.on('data', (data) => {
      text += data.toString('latin1');
      if (!text.includes('\r\n\r\n') || !text.endsWith('}')) return;
      socket.destroy();
      resolve(text);
    });
    socket.once('error', reject);
  });
}

const batch = (credential: string, names: string[]) =>
  service.call<{ results: BatchResult[] }>('POST', '/v1/files/batch', {
    credential,
    headers: FORM,
    body: `${names
      .map(
        (name) =>
          `--b0und\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nIdempotency-Key: ${keyOf(name)}\r\n\r\n${name}\r\n`,
      )
      .join('')}--b0und--\r\n`,
  });
const keyOf = (name: string) => `${name}-${'k'.repeat(22)}`;

describe('a token that cannot start an upload', () => {
  const refusal = (reason: string) => new RegExp(`^HTTP/1.1 401 [^]*"reason":"${reason}"`);

  it.each(ROUTES)('is rejected before the body arrives if its uses are spent: %s %s', async (...route) => {
    const { token } = await service.mint();
    expect((await service.upload('x', 'a.txt', { credential: token })).status).toBe(201);
    expect(await responseToHead(route, token)).toMatch(refusal('exhausted'));
  });

  it.each(ROUTES)('is rejected before the body arrives if it is revoked: %s %s', async (...route) => {
    const { token, id } = await service.mint();
    await service.call('DELETE', `/v1/upload-tokens/${id}`);
    expect(await responseToHead(route, token)).toMatch(refusal('revoked'));
  });

  it.each(ROUTES)('is rejected before the body arrives if it is expired: %s %s', async (...route) => {
    const { token } = await service.mint({ expires_in: 60 });
    await service.advanceClock(MINUTE);
    expect(await responseToHead(route, token)).toMatch(refusal('expired'));
  });

  it.each(['spent', 'expired'])('still gets the results of its own uploads (%s)', async (state) => {
    const form = await service.mint({ expires_in: 60 });
    const several = await service.mint({ expires_in: 60, max_uses: 2 });
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await service.upload('x', 'form.txt', { credential: form.token, headers });
    const both = await batch(several.token, [`1-${state}`, `2-${state}`]);
    if (state === 'expired') await service.advanceClock(MINUTE);
    const again = await service.upload('x', 'form.txt', { credential: form.token, headers });
    expect([again.status, again.response.id]).toEqual([201, first.response.id]);
    const bothAgain = await batch(several.token, [`1-${state}`, `2-${state}`, `3-${state}`]);
    expect(bothAgain.response.results.slice(0, 2)).toEqual(both.response.results);
    expect(bothAgain.response.results[2]).toMatchObject({ code: 'BLOB_UPLOAD_TOKEN_INVALID' });
    // An unknown idempotency key is no reason to accept the token.
    const other = await service.upload('x', 'form.txt', { credential: form.token, headers: { 'Idempotency-Key': randomUUID() } });
    expect(other).toMatchObject({ status: 401, error: { code: 'BLOB_UPLOAD_TOKEN_INVALID' } });
  });

  it('may repeat the upload of another token if its uses are spent', async () => {
    const [first, second] = [await service.mint(), await service.mint()];
    const headers = { 'Idempotency-Key': randomUUID() };
    const done = await service.upload('x', 'form.txt', { credential: first.token, headers });
    await service.upload('y', 'other.txt', { credential: second.token });
    const again = await service.upload('x', 'form.txt', { credential: second.token, headers });
    expect([again.status, again.response.id]).toEqual([201, done.response.id]);
  });

  it('sends the error to a client that sends its whole body at once', async () => {
    const { token } = await service.mint();
    await service.upload('x', 'a.txt', { credential: token });
    const body = Buffer.alloc(20 * 1024 * 1024);
    for (const path of ['/v1/files', '/v1/files/batch'])
      expect(await service.call('POST', path, { credential: token, headers: FORM, body })).toMatchObject({
        status: 401,
        error: { details: { reason: 'exhausted' } },
      });
  });
});

describe('file names that are slow to parse', () => {
  it('do not slow down a batch', async () => {
    const { token } = await service.mint({ max_uses: 100 });
    const name = `${'.'.repeat(15_800)}x`;
    const parts = Array.from(
      { length: 100 },
      () => `--b0und\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\nx\r\n`,
    );
    const response = await service.call<{ results: BatchResult[] }>('POST', '/v1/files/batch', {
      credential: token,
      headers: FORM,
      body: `${parts.join('')}--b0und--\r\n`,
    });
    expect(response.response.results.filter((one) => 'file' in one)).toHaveLength(100);
  });
});
