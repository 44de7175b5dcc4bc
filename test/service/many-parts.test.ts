import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { FileRecord } from '../../src/protocol/types.js';
import { TestService } from './support.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());

const metadata = () => service.service.core.blobs.resumable['context'].metadata;

/** Stores small files and gives each 10,000 parts that reference the same blob. */
async function putInParts(folder: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number++)
    ids.push((await service.put(`${folder}/${number}.txt`, new Uint8Array(1))).response.id);
  await metadata().write(async (query) => {
    const [row] = await query.selectFrom('files').select('segments_json').where('id', 'in', ids).execute();
    const [[blob]] = JSON.parse(row!.segments_json) as [[string, number]];
    const segments_json = JSON.stringify(Array.from({ length: 10_000 }, () => [blob, 0]));
    await query.updateTable('files').set({ segments_json }).where('id', 'in', ids).execute();
    await query
      .updateTable('blobs')
      .set({ refs: 10_000 * count })
      .where('id', '=', blob)
      .execute();
  });
  return ids;
}

describe('files in thousands of parts', () => {
  it('are listed without reading their parts', async () => {
    const { response } = await service.put('listed/a.txt', new Uint8Array(1));
    await metadata().write((query) =>
      query.updateTable('files').set({ parts_json: 'must not be read' }).where('id', '=', response.id).execute(),
    );
    const { response: listing } = await service.call<{ files: FileRecord[] }>('GET', '/v1/files?prefix=listed/');
    expect(listing.files.map((file) => file.path)).toEqual(['listed/a.txt']);
  });

  it('are deleted a few at a time', async () => {
    const ids = await putInParts('deleted', 6);
    const write = vi.spyOn(metadata(), 'write');
    const gone = await service.service.core.blobs.deleteMany((await service.service.core.accounts.mainStorage('main'))!, ids);
    const transactions = write.mock.calls.length;
    write.mockRestore();
    expect(gone).toEqual(new Set(ids));
    expect(transactions).toBeGreaterThan(1);
    expect((await service.call<{ files: FileRecord[] }>('GET', '/v1/files?prefix=deleted/')).response.files).toEqual([]);
  });

  it('expire a few at a time', async () => {
    const ids = await putInParts('expired', 6);
    await metadata().write((query) => query.updateTable('files').set({ expires_at: 1 }).where('id', 'in', ids).execute());
    const write = vi.spyOn(metadata(), 'write');
    await service.service.core.blobs.sweep();
    // The sizes of the transactions in which the sweep deletes files.
    const results: unknown[] = await Promise.all(write.mock.results.map((result) => result.value as Promise<unknown>));
    write.mockRestore();
    expect(results.filter((count) => typeof count === 'number' && count > 0).length).toBeGreaterThan(1);
    const left = await metadata().db.selectFrom('files').select('id').where('id', 'in', ids).execute();
    expect(left).toEqual([]);
  });
});
