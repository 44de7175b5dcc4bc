import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestService } from './support.js';

let service: TestService;
let folder: string;
beforeAll(async () => {
  service = await TestService.start();
  await service.put('shared/a.txt', 'x');
  folder = (await service.call<{ id: string }>('POST', '/v1/shares', { body: { prefix: 'shared' } })).response.id;
});
afterAll(() => service.stop());

const state = async () => [await service.paths(), await service.blobs()];

it.each([
  ['GET', '/f/%00/x', 'account'],
  ['GET', '/f/main/a%00', 'path'],
  ['GET', '/s/%00', 'id'],
  ['GET', '/s/FOLDER/a%00', 'path'],
  ['GET', '/s/FOLDER/?cursor=AA', 'cursor'],
  ['GET', '/v1/files?prefix=%00', 'prefix'],
  ['GET', '/v1/files?delimiter=%00', 'delimiter'],
  ['GET', '/v1/files?cursor=AA', 'cursor'],
  ['GET', '/v1/files/%00', 'id'],
  ['GET', '/v1/files/%00/content', 'id'],
  ['DELETE', '/v1/files/%00', 'id'],
  ['PUT', '/v1/files/a%00.txt', 'path'],
  ['PUT', '/v1/files/a.txt?cache_control=%00', 'cache_control'],
  ['GET', '/v1/upload-tokens/%00', 'id'],
  ['DELETE', '/v1/upload-tokens/%00', 'id'],
  ['DELETE', '/v1/shares/%00', 'id'],
  ['DELETE', '/v1/rules/%00', 'id'],
  ['DELETE', '/v1/domains/%00', 'id'],
  ['GET', '/v1/uploads/%00', 'id'],
  ['DELETE', '/v1/s3-credentials/%00', 'access_key_id'],
])('%s %s is rejected if it contains NUL', async (method, path, field) => {
  const before = await state();
  const body = method === 'PUT' ? 'x' : undefined;
  const response = await service.call(method, path.replace('FOLDER', folder), { ...(body !== undefined && { body }) });
  expect([response.status, response.error.path]).toEqual([400, field]);
  expect(await state()).toEqual(before);
});

it.each([
  ['/v1/files/delete', { ids: ['a', 'b\0'] }, 'ids.1'],
  ['/v1/upload-tokens', { metadata: { a: 'b\0' } }, 'metadata.a'],
  ['/v1/s3-credentials', { name: 'a\0' }, 'name'],
  ['/v1/domains', { host: 'a\0.example' }, 'host'],
  ['/v1/shares', { path: 'shared/a.txt', password: 'secret\0secret' }, 'password'],
])('POST %s with a NUL in %j is rejected', async (path, body, field) => {
  const before = await state();
  const response = await service.call('POST', path, { body });
  expect([response.status, response.error.path]).toEqual([400, field]);
  expect(await state()).toEqual(before);
});

it('NUL in an unused body is ignored', async () => {
  const body = '['.repeat(200_000) + ']'.repeat(200_000);
  const response = await service.call('DELETE', '/v1/files/unknown', { body, headers: { 'Content-Type': 'application/json' } });
  expect(response.status).toBe(404);
});
