// Every browser: engines implement service workers differently.
import { expect } from 'chai';
import { FaultyService, waitForCompletion, createFiles } from './faulty-service.js';

const posts = async (service: FaultyService) =>
  (await service.requests()).filter(({ method, path }) => method === 'POST' && path === '/v1/files');

// Behind such a worker the page receives no upload progress.
describe('an upload behind a service worker that responds to requests', () => {
  let service: FaultyService;
  let registration: ServiceWorkerRegistration | undefined;
  before(async function () {
    // Private windows and some engines have none.
    registration = await navigator.serviceWorker
      ?.register('/test/web/queue/relay-worker.js', { scope: '/' })
      .catch(() => undefined);
    if (!registration) this.skip();
    if (!navigator.serviceWorker.controller)
      await new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true }));
    service = await FaultyService.open();
  });
  after(async () => {
    await service?.close();
    await registration?.unregister();
  });

  it('is slow but not aborted, and is sent once', async () => {
    await service.rule({ method: 'POST', path: '/v1/files', fault: { bytesPerSecond: 1_000_000 } });
    const queue = service.queue({ batchUpTo: 0, stallAfter: 200 });
    queue.on('stall', () => expect.fail('The upload stalled.'));
    const files = createFiles(1, 3_000_000);
    const done = waitForCompletion(queue);
    queue.add(files);
    expect((await done).failed).to.deep.equal([]);
    expect(await posts(service)).to.have.length(1);
    await service.expectStoredOnce(files);
  });

  it('is aborted and retried if it never begins', async () => {
    await service.rule({ method: 'POST', path: '/v1/files', fault: { stallRequestAt: 0 }, times: 1 });
    // Later than any attempt begins on a busy machine.
    const queue = service.queue({ batchUpTo: 0, stallAfter: 1000 });
    const stalled: string[] = [];
    queue.on('stall', ({ item }) => stalled.push(item.name));
    const done = waitForCompletion(queue);
    queue.add(createFiles(1, 3000));
    expect((await done).successful).to.have.length(1);
    expect(stalled).to.have.length(1);
  });
});
