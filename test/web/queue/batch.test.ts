import { expect } from 'chai';
import { FaultyService, createFiles, until, waitForCompletion } from './faulty-service.js';

const batches = async (service: FaultyService) =>
  (await service.requests()).filter(({ method, path }) => method === 'POST' && path.endsWith('batch'));
const singles = async (service: FaultyService) =>
  (await service.requests()).filter(({ method, path }) => method === 'POST' && path.endsWith('files'));

describe('small files', () => {
  let service: FaultyService;
  beforeEach(async () => (service = await FaultyService.open()));
  afterEach(() => service.close());

  it('share requests and keep their names', async () => {
    const queue = service.queue();
    const files = createFiles(60, 3000, (index) => `ä"${index};%.bin`);
    const done = waitForCompletion(queue);
    queue.add(files);
    const { successful, failed } = await done;
    expect(failed.map(({ state }) => state)).to.deep.equal([]);
    expect(successful).to.have.length(60);
    await service.expectStoredOnce(files);
    const names = successful.map(({ name, state }) => state.status === 'done' && [name, state.file.size, state.file.name]);
    for (const name of names)
      expect(name).to.satisfy(([own, , stored]: [string, number, string]) => stored.startsWith(own.slice(0, 2)));
    expect((await batches(service)).length).to.equal(6);
    expect(await singles(service)).to.deep.equal([]);
    expect(queue.totals).to.include({ done: 60, sent: 180_000, bytes: 180_000 });
  });

  it('share small requests first, and larger ones as the speed is known', async () => {
    const queue = service.queue({ concurrency: 1 });
    const files = createFiles(60, 40_000);
    const done = waitForCompletion(queue);
    queue.add(files);
    await until(queue, () => queue.totals.done > 0);
    expect(queue.totals.done).to.equal(3);
    expect((await done).failed).to.deep.equal([]);
    await service.expectStoredOnce(files);
    expect((await batches(service)).length).to.be.below(10);
  });

  it('share a request only as far as the uses of its token reach', async () => {
    const queue = service.queue({ tokenProvider: service.provider(() => ({ max_uses: 7 })) });
    const files = createFiles(30, 1000);
    const done = waitForCompletion(queue);
    queue.add(files);
    expect((await done).failed).to.deep.equal([]);
    await service.expectStoredOnce(files);
    expect(service.reasons).to.deep.equal(['start', 'exhausted', 'exhausted', 'exhausted', 'exhausted']);
  });

  it('are not stored twice if the response is lost or the connection is cut', async () => {
    await service.rule({ method: 'POST', path: 'batch$', fault: { dropResponse: true }, times: 2 });
    await service.rule({ method: 'POST', path: 'batch$', fault: { cutRequestAt: 5000 }, skip: 2, times: 3 });
    const queue = service.queue();
    const files = createFiles(40, 2000);
    const done = waitForCompletion(queue);
    queue.add(files);
    expect((await done).failed).to.deep.equal([]);
    await service.expectStoredOnce(files);
  });

  it('are accepted or refused one by one', async () => {
    const queue = service.queue({
      concurrency: 1,
      tokenProvider: service.provider(() => ({ allowed_extensions: ['bin'], max_size: 1500, max_uses: 9 })),
    });
    const files = [...createFiles(2, 1000), ...createFiles(1, 2000), ...createFiles(1, 1200, () => 'x.exe')];
    const done = waitForCompletion(queue);
    queue.add(files);
    await done;
    expect(queue.items.map(({ state }) => state.status)).to.deep.equal(['done', 'done', 'rejected', 'rejected']);
    await service.expectStoredOnce(files.slice(0, 2));
  });

  it('are sent one by one if the service lacks the batch route', async () => {
    await service.rule({
      path: 'batch$',
      fault: { respond: { status: 405, body: { code: 'METHOD_NOT_ALLOWED', message: '' } } },
    });
    const queue = service.queue({ concurrency: 2 });
    const files = createFiles(12, 1000);
    const done = waitForCompletion(queue);
    queue.add(files);
    expect((await done).failed).to.deep.equal([]);
    await service.expectStoredOnce(files);
    expect((await batches(service)).length).to.be.at.most(2);
    expect(await singles(service)).to.have.length(12);
  });

  it('are uploaded although one of them is canceled', async () => {
    await service.rule({ path: 'batch$', fault: { stallRequestAt: 0 }, times: 1 });
    const queue = service.queue({ concurrency: 1 });
    const files = createFiles(5, 2000);
    const items = queue.add(files);
    while ((await batches(service)).length === 0);
    const done = waitForCompletion(queue);
    queue.cancel(items[2]!.id);
    expect((await done).successful.map(({ name }) => name)).to.deep.equal([0, 1, 3, 4].map((index) => `file ${index}.bin`));
    await service.expectStoredOnce(files.filter((_, index) => index !== 2));
  });
});
