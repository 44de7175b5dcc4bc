import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileRecord, StatsRecord } from '../../src/protocol/types.js';
import { TestService } from './support.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());

const text = async (id: string) => new TextDecoder().decode(await service.bytesOf(id));
const make = async (path: string, content = path) => (await service.put(path, content)).response;
const change = (id: string, body: object) => service.call<FileRecord>('PATCH', `/v1/files/${id}`, { body });

describe('changing a file', () => {
  it('changes only the given fields', async () => {
    const file = await make('p/a.txt');
    const { response } = await change(file.id, { visibility: 'public', cache_control: 'max-age=5', metadata: { a: '1' } });
    expect(response).toEqual({
      ...file,
      visibility: 'public',
      url: `${service.url}/f/main/p/a.txt`,
      cache_control: 'max-age=5',
      metadata: { a: '1' },
      updated_at: response.updated_at,
    });
    const again = await change(file.id, { path: 'p/b.txt', cache_control: null });
    expect(again.response).toMatchObject({
      id: file.id,
      path: 'p/b.txt',
      name: 'b.txt',
      cache_control: null,
      visibility: 'public',
    });
    expect(await text(file.id)).toBe('p/a.txt');
  });

  it('changes nothing if one field is invalid', async () => {
    const file = await make('r/a.txt');
    await make('r/b.txt');
    for (const [body, code] of [
      [{ path: 'r/b.txt', visibility: 'public' }, 'FILE_EXISTS'],
      [{ path: '../x' }, 'INVALID_PATH'],
      [{ visibility: 'both' }, 'VALIDATION_ERROR'],
      [{ size: 5 }, 'VALIDATION_ERROR'],
      [{}, 'VALIDATION_ERROR'],
      [{ expires_at: '2001-01-01T00:00:00Z' }, 'VALIDATION_ERROR'],
    ] as const)
      expect((await change(file.id, body)).error.code).toBe(code);
    expect((await service.call('GET', `/v1/files/${file.id}`)).response).toEqual(file);
    expect((await change('file_none', { visibility: 'public' })).error.code).toBe('FILE_NOT_FOUND');
  });
});

describe('copying a file', () => {
  it('creates an independent file with the same bytes', async () => {
    const fresh = await TestService.start();
    const { response: file } = await fresh.put('a.txt', 'abc');
    const copy = await fresh.call<FileRecord>('POST', `/v1/files/${file.id}/copy`, { body: { path: 'b/a.txt' } });
    expect(copy.status).toBe(201);
    expect(copy.response).toMatchObject({ path: 'b/a.txt', sha256: file.sha256, size: 3 });
    expect(copy.response.id).not.toBe(file.id);
    expect(await fresh.blobs()).toHaveLength(1);
    await fresh.call('DELETE', `/v1/files/${file.id}`);
    await fresh.service.core.blobs.sweep({ aloneSince: Date.now() });
    expect(new TextDecoder().decode(await fresh.bytesOf(copy.response.id))).toBe('abc');
    expect((await fresh.call<StatsRecord>('GET', '/v1/stats')).response).toMatchObject({ files: 1, bytes: 3 });
    await fresh.call('DELETE', `/v1/files/${copy.response.id}`);
    await fresh.service.core.blobs.sweep({ aloneSince: Date.now() });
    expect(await fresh.blobs()).toEqual([]);
    await fresh.stop();
  });

  it('replaces a file only with overwrite', async () => {
    const [one, two] = [await make('c/1'), await make('c/2')];
    const copy = (overwrite: boolean) =>
      service.call<FileRecord>('POST', `/v1/files/${one.id}/copy`, { body: { path: 'c/2', overwrite } });
    expect((await copy(false)).error.code).toBe('FILE_EXISTS');
    expect((await copy(true)).status).toBe(200);
    expect(await text(two.id)).toBe('c/1');
  });
});

describe('moving a file', () => {
  it('keeps the id and removes the old path', async () => {
    const file = await make('m/1');
    const moved = await service.call<FileRecord>('POST', `/v1/files/${file.id}/move`, { body: { path: 'm/2' } });
    expect(moved.response).toMatchObject({ id: file.id, path: 'm/2' });
    expect((await service.paths()).filter((path) => path.startsWith('m/'))).toEqual(['m/2']);
  });

  it('succeeds for only one of many moves to the same path', async () => {
    const files = await Promise.all(Array.from({ length: 10 }, (_, i) => make(`race/${i}`)));
    const httpResponses = await Promise.all(
      files.map((file) => service.call('POST', `/v1/files/${file.id}/move`, { body: { path: 'race/won' } })),
    );
    expect(httpResponses.filter((response) => response.status === 200)).toHaveLength(1);
    expect((await service.paths()).filter((path) => path.startsWith('race/'))).toHaveLength(10);
  });
});

describe('deleting many files', () => {
  it('returns a result for each', async () => {
    const files = await Promise.all(Array.from({ length: 5 }, (_, i) => make(`d/${i}`)));
    const ids = [...files.map((file) => file.id), 'file_none'];
    const { response } = await service.call<{ results: object[] }>('POST', '/v1/files/delete', { body: { ids } });
    expect(response.results).toEqual([
      ...files.map(({ id }) => ({ id, deleted: true })),
      { id: 'file_none', deleted: false, code: 'FILE_NOT_FOUND' },
    ]);
    expect((await service.paths()).filter((path) => path.startsWith('d/'))).toEqual([]);
  });

  it.each([[[]], [Array.from({ length: 1001 }, (_, i) => `file_${i}`)], [[7]]])('rejects an invalid list', async (ids) => {
    const httpResponse = await service.call('POST', '/v1/files/delete', { body: { ids } });
    expect([httpResponse.status, httpResponse.error.path?.split('.')[0]]).toEqual([400, 'ids']);
  });
});
