import { afterAll, beforeAll, expect, it } from 'vitest';
import { BACKEND } from './backend.js';
import { TestService } from './support.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());

it('a sweep without grace periods deletes nothing of parallel uploads, even if the clock is an hour ahead', async () => {
  const { blobs } = service.service.core;
  const stop = new AbortController();
  // A replica is not alone on the data, so it must not set `aloneSince`.
  const options = BACKEND === 'replicas' ? {} : { aloneSince: Date.now() + 3_600_000 };
  const sweeping = (async () => {
    while (!stop.signal.aborted) {
      await blobs.sweep(options);
      await blobs.sweepOrphans(options);
    }
  })();
  const stored = [];
  for (let round = 0; round < 4; round++)
    stored.push(...(await Promise.all(Array.from({ length: 10 }, (_, i) => service.put(`s/${round}-${i}`, `${round}-${i}`)))));
  stop.abort();
  await sweeping;
  expect(stored.map((response) => response.status)).toEqual(stored.map(() => 201));
  for (const { response } of stored) expect(new TextDecoder().decode(await service.bytesOf(response.id))).toBe(response.name);
});
