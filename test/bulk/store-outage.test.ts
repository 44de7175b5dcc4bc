import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { walk } from '../../src/bulk/node/index.js';
import type { TransferEvent } from '../../src/bulk/types.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import type { FaultProxy } from '../../fault-proxy/fault-proxy.js';
import { verifyBucket, createTree, createBucket, createTransfer, createFolder, s3 } from './s3-store.js';

const PART = 5 * 1024 * 1024;

describe('a transfer whose store goes away', () => {
  let proxy: FaultProxy;
  afterEach(() => proxy.close());
  const createTransferThroughProxy = async () => {
    proxy = await startFaultProxy(s3.endpoint);
    return createTransfer({ endpoint: proxy.url });
  };

  it('waits for the store without spending tries', async () => {
    const folder = createTree();
    const bucket = await createBucket();
    const bulk = await createTransferThroughProxy();
    const events: TransferEvent[] = [];
    const onEvent = (event: TransferEvent): void => {
      if (events.push(event) === 5) proxy.offline();
      if (event.type === 'waiting') proxy.online();
    };
    const retry = { tries: 1, budget: 0, patience: 60_000 };
    const summary = await bulk.upload(walk(folder), { bucket, prefix: '' }, { partSize: PART, concurrency: 4, retry, onEvent });
    expect(summary).toMatchObject({ files: 42, failed: 0 });
    expect(events.filter(({ type }) => type === 'waiting')).toHaveLength(1);
    expect(await verifyBucket(folder, bucket)).toMatchObject({ files: 42, failed: 0 });
  });

  it('ends if the store does not come back', async () => {
    const folder = createTree(100_000);
    const bucket = await createBucket();
    const bulk = await createTransferThroughProxy();
    let done = 0;
    const onEvent = ({ type }: TransferEvent): void => void (type === 'done' && ++done === 3 && proxy.offline());
    const retry = { patience: 500 };
    const summary = await bulk.upload(walk(folder), { bucket, prefix: '' }, { concurrency: 2, retry, onEvent });
    expect(summary.failures.map(({ code }) => code)).toContain('StoreAway');
    expect(summary.failed).toBeLessThan(5);
    expect(summary.files).toBeLessThan(30);
  });

  it('fails an object that crashes the store after a few tries', async () => {
    const folder = createFolder();
    const bucket = await createBucket();
    for (const name of ['a', 'deadly', 'z']) writeFileSync(join(folder, name), name);
    const bulk = await createTransferThroughProxy();
    const fault = () => {
      proxy.offline();
      setTimeout(() => proxy.online(), 100); // The restart of the store takes a moment.
      return { dropResponse: true };
    };
    proxy.on({ method: 'PUT', path: /deadly/, fault });
    const retry = { tries: 2, baseDelay: 5, maxDelay: 10, patience: 60_000 };
    const summary = await bulk.upload(walk(folder, { sorted: true }), { bucket, prefix: '' }, { concurrency: 1, retry });
    expect(summary).toMatchObject({ files: 2, failed: 1, failures: [{ name: 'deadly' }] });
    expect(proxy.requests.filter(({ path }) => path.includes('deadly')).length).toBeLessThan(10);
  });

  it('does not wait if only single objects fail', async () => {
    const folder = createFolder();
    const bucket = await createBucket();
    for (const name of ['bad1', 'bad2', 'good1', 'good2']) writeFileSync(join(folder, name), name);
    const bulk = await createTransferThroughProxy();
    proxy.on({ method: 'PUT', path: /bad/, fault: { dropResponse: true } });
    const retry = { tries: 3, baseDelay: 5, maxDelay: 10, patience: 60_000 };
    const summary = await bulk.upload(walk(folder, { sorted: true }), { bucket, prefix: '' }, { concurrency: 1, retry });
    expect(summary).toMatchObject({ files: 2, failed: 2 });
    expect(summary.failures.map(({ name, code, tries }) => [name, code, tries]).sort()).toEqual([
      ['bad1', 'ConnectionFailed', 3],
      ['bad2', 'ConnectionFailed', 3],
    ]);
  });
});
