import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openCore } from '../../server/service/storage.js';
import type { StatsRecord } from '../../src/protocol/types.js';
import { storageFor } from './backend.js';
import { TestService } from './support.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());

const AHEAD = 5 * 60_000;

/** What another replica cleans away whose machine's clock runs ahead. */
async function sweepAhead() {
  const { dataDir } = service;
  const other = await openCore({ dataDir, ...(await storageFor(dataDir)) });
  const { now } = Date;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + AHEAD);
  const swept = await other.blobs.sweep();
  clock.mockRestore();
  await other.close();
  return swept;
}

it('a replica whose clock runs ahead takes no upload of another for dead', async () => {
  let end!: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(new Uint8Array(300_000));
      await ended;
      controller.enqueue(new Uint8Array(300_000));
      controller.close();
    },
  });
  const running = service.put('skewed.bin', body);
  const inProgress = async () => (await service.call<StatsRecord>('GET', '/v1/stats')).response.uploads_in_progress;
  await expect.poll(inProgress).toBe(1);
  expect(await sweepAhead()).toMatchObject({ abandonedUploads: 0 });
  end();
  const { status, response } = await running;
  expect([status, response.size]).toEqual([201, 600_000]);
});

it('nor does it delete what others may still read', async () => {
  const { response } = await service.put('read.bin', 'read');
  await service.call('DELETE', `/v1/files/${response.id}`);
  const before = await service.blobs();
  expect(await sweepAhead()).toMatchObject({ deletedBlobs: 0 });
  expect(await service.blobs()).toEqual(before);
});
