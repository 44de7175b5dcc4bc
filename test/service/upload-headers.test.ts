import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FileRecord } from '../../src/protocol/types.js';
import { TestService } from './support.js';

let service: TestService;
let file: FileRecord;
let before: unknown;
const state = async () => [await service.paths(), await service.blobs()];
beforeAll(async () => void (service = await TestService.start()));
beforeEach(async () => {
  file = (await service.put('existing.txt?overwrite=true', 'first')).response;
  before = await state();
});
afterAll(() => service.stop());

describe('conditions of a write', () => {
  const other = '"00000000000000000000000000000000"';
  const put = (headers: Record<string, string>) => service.put('existing.txt?overwrite=true', 'second', { headers });
  const patch = (headers: Record<string, string>) =>
    service.call('PATCH', `/v1/files/${file.id}`, { body: { visibility: 'public' }, headers });
  const remove = (headers: Record<string, string>) => service.call('DELETE', `/v1/files/${file.id}`, { headers });

  it.each([
    ['PUT', 'If-Match', other, put],
    ['PUT', 'If-None-Match', '*', put],
    ['PATCH', 'If-Match', other, patch],
    ['PATCH', 'If-None-Match', '*', patch],
    ['DELETE', 'If-Match', other, remove],
    ['DELETE', 'If-None-Match', '*', remove],
  ])('that are not met reject it: %s, %s: %s', async (_method, condition, value, write) => {
    expect(await write({ [condition]: value })).toMatchObject({
      status: 412,
      error: { code: 'PRECONDITION_FAILED', details: { condition } },
    });
    expect(await write({ [condition]: 'W/"a", "b"' })).toMatchObject({ status: 400, error: { path: condition.toLowerCase() } });
    expect(await state()).toEqual(before);
    expect((await service.call('GET', `/v1/files/${file.id}`)).response).toEqual(file);
  });

  it('that are met accept it', async () => {
    expect(await patch({ 'If-Match': `"${file.etag}"`, 'If-None-Match': other })).toMatchObject({ status: 200 });
    expect(await put({ 'If-Match': `"${file.etag}"` })).toMatchObject({ status: 200 });
    expect(await remove({ 'If-Match': '*' })).toMatchObject({ status: 200 });
    expect(await put({ 'If-Match': '*' })).toMatchObject({ status: 404, error: { code: 'FILE_NOT_FOUND' } });
    expect(await put({ 'If-None-Match': '*' })).toMatchObject({ status: 201 });
  });
});

describe('an upload rejects', () => {
  afterEach(async () => expect(await state()).toEqual(before));

  it('a part of a file (Content-Range)', async () => {
    const headers = { 'Content-Range': 'bytes 0-4/10' };
    const refused = { status: 400, error: { code: 'VALIDATION_ERROR', path: 'content-range' } };
    expect(await service.put('part.bin', 'hello', { headers })).toMatchObject(refused);
    expect(await service.call('POST', '/v1/files?path=part.bin', { body: 'hello', headers })).toMatchObject(refused);
  });

  it('the digest of a form', async () => {
    const headers = { 'Repr-Digest': 'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:' };
    const refused = { status: 400, error: { code: 'VALIDATION_ERROR', path: 'repr-digest' } };
    expect(await service.upload('hello', 'digest.txt', { headers })).toMatchObject(refused);
  });

  it.each(['/v1/files', '/v1/files?path=chosen.txt', '/v1/files/batch'])(
    'a form in which no file was chosen: %s',
    async (path) => {
      const { token } = await service.mint();
      const body =
        '--b\r\nContent-Disposition: form-data; name="file"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n\r\n--b--\r\n';
      const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
      const response = await service.call<{ results: unknown[] } | undefined>('POST', path, { body, headers, credential: token });
      expect(response.response?.results[0] ?? response.error).toMatchObject({ code: 'NO_FILE_UPLOADED' });
      const self = await service.call<{ uses: number }>('GET', '/v1/upload-tokens/self', { credential: token });
      expect(self.response.uses).toBe(0);
    },
  );
});

it('an upload stores an empty file with a name', async () => {
  expect(await service.upload('', 'empty.txt')).toMatchObject({ status: 201, response: { path: 'empty.txt', size: 0 } });
});
