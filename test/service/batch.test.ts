import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request as open } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BATCH } from '../../src/protocol/limits.js';
import type { BatchResult, FileRecord } from '../../src/protocol/types.js';
import { TestService } from './support.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());

interface Part {
  name: string;
  content: string | Buffer;
  headers?: Record<string, string>;
  field?: string;
}

function send(
  parts: Part[],
  { credential, tail = '--', query = '' }: { credential?: string; tail?: string; query?: string } = {},
) {
  const pieces = parts.flatMap(({ name, content, headers = {}, field = 'file' }) => [
    `--b0und\r\nContent-Disposition: form-data; name="${field}"; filename*=UTF-8''${encodeURIComponent(name)}\r\n` +
      Object.entries(headers)
        .map(([key, value]) => `${key}: ${value}\r\n`)
        .join('') +
      '\r\n',
    content,
    '\r\n',
  ]);
  const body = Buffer.concat([...pieces, `--b0und${tail}\r\n`].map((piece) => Buffer.from(piece as string)));
  return service.call<{ results: BatchResult[] }>('POST', `/v1/files/batch${query}`, {
    body,
    headers: { 'Content-Type': 'multipart/form-data; boundary=b0und' },
    ...(credential !== undefined && { credential }),
  });
}

const fileOf = (result: BatchResult | undefined): FileRecord => (result as { file: FileRecord }).file;
const codeOf = (result: BatchResult): string => ('code' in result ? result.code : 'stored');

describe('a batch', () => {
  it('stores all files and returns them in order', async () => {
    const parts = Array.from({ length: 100 }, (_, i) => ({ name: `é ${i}.bin`, content: Buffer.alloc(i * 37, i) }));
    const { status, response } = await send(parts, { query: '?prefix=batch&visibility=public' });
    expect(status).toBe(200);
    expect(response.results.map((one) => fileOf(one).path)).toEqual(parts.map((part) => `batch/${part.name}`));
    for (const [i, part] of parts.entries())
      expect(fileOf(response.results[i]).sha256).toBe(createHash('sha256').update(part.content).digest('hex'));
    expect(fileOf(response.results[3])).toMatchObject({ visibility: 'public' });
    expect(Buffer.from(await service.bytesOf(fileOf(response.results[99]).id))).toEqual(parts[99]!.content);
  });

  it('keeps bytes inside a file that look like a boundary', async () => {
    const content = '\r\n--b0un\r\n--b0u--\r\n\r\n';
    const { response } = await send([{ name: 'tricky.txt', content }]);
    expect(new TextDecoder().decode(await service.bytesOf(fileOf(response.results[0]).id))).toBe(content);
  });

  it('accepts quoted header values and white space after a boundary', async () => {
    const names = ['x; name=y.txt', "z; filename*=UTF-8''evil.exe"];
    const body = names
      .map((name) => `--b0und \t\r\nContent-Disposition: form-data; filename="${name}"; name="file"\r\n\r\n${name}\r\n`)
      .join('');
    const { status, response } = await service.call<{ results: BatchResult[] }>('POST', '/v1/files/batch?prefix=quoted', {
      body: `${body}--b0und-- \r\n`,
      headers: { 'Content-Type': 'multipart/form-data; boundary=b0und' },
    });
    expect(status).toBe(200);
    expect(response.results.map((one) => fileOf(one).path)).toEqual(names.map((name) => `quoted/${name}`));
  });

  it('checks each part separately and takes one use for each', async () => {
    const token = await service.mint({ prefix: 'judged', max_uses: 3, max_size: 5, allowed_extensions: ['txt'] });
    const { response } = await send(
      [
        { name: 'a.txt', content: 'ok' },
        { name: 'b.exe', content: 'no' },
        { name: 'c.txt', content: 'too long' },
        {
          name: 'd.txt',
          content: 'ok',
          headers: { 'Repr-Digest': `sha-256=:${createHash('sha256').update('x').digest('base64')}:` },
        },
        { name: 'e.txt', content: 'ok' },
      ],
      { credential: token.token },
    );
    expect(response.results.map(codeOf)).toEqual([
      'stored',
      'BLOCKED_FILE_TYPE',
      'BLOB_FILE_TOO_LARGE',
      'CHECKSUM_MISMATCH',
      'stored',
    ]);
    const self = await service.call<{ uses: number }>('GET', '/v1/upload-tokens/self', { credential: token.token });
    expect(self.response.uses).toBe(2);
  });

  it('returns the first results for a repeat', async () => {
    const token = await service.mint({ prefix: 'again', max_uses: 2 });
    const parts = ['a.txt', 'b.txt'].map((name) => ({
      name,
      content: name,
      headers: { 'Idempotency-Key': `${name}-${'k'.repeat(22)}` },
    }));
    const first = await send(parts, { credential: token.token });
    const second = await send(parts, { credential: token.token });
    expect(second.response).toEqual(first.response);
    expect((await service.paths()).filter((path) => path.startsWith('again/'))).toHaveLength(2);
  });

  it('is rejected before anything is stored if it is malformed', async () => {
    const before = [await service.paths(), await service.blobs()];
    const many = Array.from({ length: 101 }, (_, i) => ({ name: `${i}`, content: 'x' }));
    expect(await send(many)).toMatchObject({ status: 400, error: { code: 'VALIDATION_ERROR', path: 'body' } });
    expect(await send([])).toMatchObject({ status: 400 });
    expect(await send([{ name: 'a', content: 'x' }], { tail: '' })).toMatchObject({ status: 400, error: { path: 'body' } });
    expect(await send([{ name: 'a', content: 'x', field: 'upload' }])).toMatchObject({ status: 400, error: { path: 'upload' } });
    expect(await send([{ name: 'a', content: Buffer.alloc(33 * 1024 * 1024) }])).toMatchObject({
      status: 413,
      error: { code: 'BLOB_FILE_TOO_LARGE' },
    });
    const noForm = await service.call('POST', '/v1/files/batch', { body: { a: 1 } });
    expect([noForm.status, noForm.error.path]).toEqual([400, 'content-type']);
    expect([await service.paths(), await service.blobs()]).toEqual(before);
  });

  const begin = (credential: string): ClientRequest => {
    const request = open(`${service.url}/v1/files/batch`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${credential}`,
        'Content-Type': 'multipart/form-data; boundary=b0und',
        'Content-Length': String(BATCH.maxBytes),
        Expect: '100-continue',
      },
    });
    request.on('error', () => {});
    request.flushHeaders();
    return request;
  };

  it('does not wait for slow batches that announced many bytes', async () => {
    const before = await service.blobs();
    const slow = Array.from({ length: 12 }, () => begin(service.key));
    await Promise.all(slow.map((request) => once(request, 'continue')));
    for (const request of slow) request.write('--b0und');
    expect(await send([{ name: 'waits-for-none.txt', content: 'x' }])).toMatchObject({ status: 200 });
    for (const request of slow) request.destroy();
    expect(await service.blobs()).toHaveLength(before.length + 1);
  });

  it('is not read if its token is revoked', async () => {
    const before = [await service.paths(), await service.blobs()];
    const token = await service.mint({ prefix: 'revoked' });
    await service.call('DELETE', `/v1/upload-tokens/${token.id}`);
    const request = begin(token.token);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect([response.statusCode, await json(response)]).toMatchObject([401, { details: { reason: 'revoked' } }]);
    request.destroy();
    expect([await service.paths(), await service.blobs()]).toEqual(before);
  });
});
