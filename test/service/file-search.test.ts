import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileRecord } from '../../src/protocol/types.js';
import { insertFiles } from './insert-files.js';
import { TestService } from './support.js';

interface Page {
  files: FileRecord[];
  prefixes: string[];
  cursor: string | null;
}

let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
  const { core } = service.service;
  await service.put('album/%C3%85ngstr%C3%B6m.PNG', 'five5', { headers: { 'Content-Type': 'image/png' } });
  await service.put('album/2026/relat%C3%B3rio.pdf', 'report', { headers: { 'Content-Type': 'application/pdf' } });
  await service.put('album/notes.txt', 'n', { headers: { 'Content-Type': 'text/plain; charset=utf-8' } });
  await service.put('album/%25_.txt', 'percent', { headers: { 'Content-Type': 'text/plain' } });
  // A folder between two files, larger than a request may read.
  await insertFiles(core, { prefix: 'deep/a/', count: 60_000, type: 'video/mp4' });
  await insertFiles(core, { prefix: 'deep/b/', count: 3 });
  await insertFiles(core, { prefix: 'deep/file-', count: 3, updatedAt: 100_000_000 });
  await insertFiles(core, { prefix: 'deep/~last-', count: 2 });
});
afterAll(() => service.stop());

const get = async (query: Record<string, string | number>): Promise<Page> => {
  const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const { status, response, error } = await service.call<Page>('GET', `/v1/files?${parameters}`);
  if (status !== 200) throw new Error(JSON.stringify(error));
  return response;
};

/** Reads all pages. */
async function all(query: Record<string, string | number>): Promise<{ paths: string[]; folders: string[]; pages: number }> {
  const paths: string[] = [];
  const folders: string[] = [];
  let cursor: string | null = null;
  let pages = 0;
  do {
    const page: Page = await get({ ...query, ...(cursor !== null && { cursor }) });
    paths.push(...page.files.map(({ path }) => path));
    folders.push(...page.prefixes);
    cursor = page.cursor;
    pages += 1;
  } while (cursor !== null);
  return { paths, folders, pages };
}

describe('a search for files', () => {
  it.each([
    [{ name: 'åNGS' }, ['album/Ångström.PNG']],
    // The same letter in decomposed form, as macOS writes it.
    [{ name: 'RELATO\u0301RIO' }, ['album/2026/relatório.pdf']],
    [{ name: '%_' }, ['album/%_.txt']],
    [{ name: 'album' }, []],
    [{ type: 'image' }, ['album/Ångström.PNG']],
    [{ type: 'pdf' }, ['album/2026/relatório.pdf']],
    [{ type: 'text', delimiter: '/' }, ['album/%_.txt', 'album/notes.txt']],
    [{ type: 'text/plain', min_size: 2 }, ['album/%_.txt']],
    [{ min_size: 5, max_size: 6 }, ['album/2026/relatório.pdf', 'album/Ångström.PNG']],
    [{ updated_before: '2020-01-01T00:00:00Z' }, []],
    [
      { updated_after: '2020-01-01T00:00:00Z', order: 'desc', delimiter: '/' },
      ['album/Ångström.PNG', 'album/notes.txt', 'album/%_.txt'],
    ],
    [{ sort: 'size', order: 'desc' }, ['album/%_.txt', 'album/2026/relatório.pdf', 'album/Ångström.PNG', 'album/notes.txt']],
    [{ sort: 'size', delimiter: '/' }, ['album/notes.txt', 'album/Ångström.PNG', 'album/%_.txt']],
  ])('finds what matches %j', async (query, expected) => {
    expect((await all({ prefix: 'album/', limit: 1, ...query })).paths).toEqual(expected);
    expect((await all({ prefix: 'album/', ...query })).paths).toEqual(expected);
  });

  it('finds a file by its id only where it matches', async () => {
    const [file] = (await get({ prefix: 'album/', name: 'notes' })).files;
    expect((await get({ id: file!.id })).files).toEqual([file]);
    expect((await get({ id: file!.id, type: 'image' })).files).toEqual([]);
    expect((await get({ id: 'file_unknown' })).files).toEqual([]);
  });

  it('reads a limited number of files for a page and continues until the last match', async () => {
    const first = await get({ prefix: 'deep/', name: '~LAST' });
    expect(first).toMatchObject({ files: [], cursor: expect.any(String) });
    const found = await all({ prefix: 'deep/', name: '~LAST' });
    expect(found).toMatchObject({ paths: ['deep/~last-0000001', 'deep/~last-0000002'], pages: 2 });
  });

  it('sorts a folder without reading the files in folders below it', async () => {
    const files = ['deep/file-0000001', 'deep/~last-0000001', 'deep/file-0000002', 'deep/~last-0000002', 'deep/file-0000003'];
    for (const limit of [2, 1000]) {
      const inOrder = await all({ prefix: 'deep/', delimiter: '/', sort: 'size', limit });
      expect(inOrder).toMatchObject({ paths: files, pages: limit === 2 ? 3 : 1 });
    }
    const newest = await get({ prefix: 'deep/', delimiter: '/', sort: 'updated', order: 'desc', limit: 3 });
    expect(newest.files.map(({ path }) => path)).toEqual(['deep/file-0000003', 'deep/file-0000002', 'deep/file-0000001']);
    const last = await all({ prefix: 'deep/', delimiter: '/', order: 'desc', limit: 2 });
    expect(last.paths).toEqual([
      'deep/~last-0000002',
      'deep/~last-0000001',
      ...files.filter((path) => path.includes('file')).toReversed(),
    ]);
  });

  it('reads the files of a large folder in the order of an index', async () => {
    const largest = await get({ prefix: 'deep/a/', delimiter: '/', sort: 'size', order: 'desc', limit: 2 });
    expect(largest.files.map(({ size }) => size)).toEqual([60_000, 59_999]);
    const after = await get({
      prefix: 'deep/a/',
      delimiter: '/',
      sort: 'size',
      order: 'desc',
      limit: 1,
      cursor: largest.cursor!,
    });
    expect(after.files.map(({ size }) => size)).toEqual([59_998]);
    const between = await all({ prefix: 'deep/a/', sort: 'size', min_size: 30_000, max_size: 30_002, limit: 2 });
    expect(between.paths).toEqual(['deep/a/0030000', 'deep/a/0030001', 'deep/a/0030002']);
  });

  it('lists folders without the files between them', async () => {
    expect(await all({ prefix: 'deep/', delimiter: '/', only: 'folders', limit: 1 })).toMatchObject({
      paths: [],
      folders: ['deep/a/', 'deep/b/'],
    });
    expect((await all({ prefix: 'deep/a/', delimiter: '/', only: 'folders' })).folders).toEqual([]);
  });

  it.each([
    [{ only: 'folders' }, 'delimiter'],
    [{ only: 'folders', delimiter: '/', name: 'a' }, 'only'],
    [{ sort: 'size', delimiter: '-' }, 'delimiter'],
    [{ type: 'pictures' }, 'type'],
    [{ updated_after: 'yesterday' }, 'updated_after'],
    [{ min_size: -1 }, 'min_size'],
    [{ sort: 'size', cursor: Buffer.from('["key","asc","a",null,false]').toString('base64url') }, 'cursor'],
    [{ sort: 'size', cursor: Buffer.from('["size","asc","a","1",false]').toString('base64url') }, 'cursor'],
    [{ sort: 'size', cursor: Buffer.from('a/b').toString('base64url') }, 'cursor'],
  ])('refuses %j', async (query, field) => {
    const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
    const { status, error } = await service.call('GET', `/v1/files?${parameters}`);
    expect([status, error.path]).toEqual([400, field]);
  });
});
