import { afterAll, beforeAll, expect, it } from 'vitest';
import type { StatsRecord } from '../../src/protocol/types.js';
import { TestService } from './support.js';
import { locationOf, TusClient } from './tus-client.js';

let service: TestService;
beforeAll(async () => void (service = await TestService.start()));
afterAll(() => service.stop());

const running = async () => (await service.call<StatsRecord>('GET', '/v1/stats')).response.uploads_in_progress;

it('a resumable upload counts as in progress from its creation to its end', async () => {
  const tusClient = new TusClient(() => service);
  const place = locationOf(await tusClient.create({ length: 10, describe: { filename: 'open.bin' } }));
  expect(await running()).toBe(1);
  let end!: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(new Uint8Array(5));
      await ended;
      controller.close();
    },
  });
  const sending = tusClient.send(place, 0, body);
  // It counts before, during and after the upload of a part.
  for (let times = 0; times < 10; times++) expect(await running()).toBe(1);
  end();
  expect((await sending).status).toBe(204);
  expect(await running()).toBe(1);
  await tusClient.send(place, 5, new Uint8Array(5));
  expect(await running()).toBe(0);
});

it('a multipart upload counts as in progress until it is completed or aborted', async () => {
  const { blobs, accounts } = service.service.core;
  const storage = (await accounts.mainStorage('main'))!;
  const { id } = await service.newKey(['blob:write']);
  const upload = await blobs.createUpload(storage, 'parts.bin', { kind: 's3', properties: {}, credential: { kind: 'key', id } });
  expect(await running()).toBe(1);
  await blobs.abortUpload(upload);
  expect(await running()).toBe(0);
});
