import type { RunOptions } from '../../src/bulk/transfer/run-options.js';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { walk } from '../../src/bulk/node/index.js';
import type { BulkTransfer, Place, Summary } from '../../src/bulk/node/index.js';
import type { S3Error } from '../../src/bulk/errors.js';
import { start } from '../cli/support.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import type { Fault, FaultProxy } from '../../fault-proxy/fault-proxy.js';
import {
  listObjects,
  createBucket,
  createTransfer,
  createFolder,
  s3,
  s3Environment,
  createSortedSource,
  writeFiles,
} from './s3-store.js';

const DOOMED = 1200;

describe('deletions that are under way when a run is stopped', () => {
  let proxy: FaultProxy;
  let there: Place;
  beforeEach(async () => {
    proxy = await startFaultProxy(s3.endpoint);
    there = { bucket: await createBucket(), prefix: 'p/' };
    const folder = createFolder();
    for (let i = 0; i < DOOMED; i++) writeFileSync(join(folder, `f${i}`), '');
    await createTransfer().upload(walk(folder), there);
  });
  afterEach(() => proxy.close());
  const left = async () => (await listObjects(createTransfer(), there.bucket)).filter(({ key }) => key !== 'p/one').length;

  /** Stops a run at its first deletion, to which this happens. */
  async function stopped(fault: Fault, work: (bulk: BulkTransfer, options: RunOptions) => Promise<unknown>): Promise<Summary> {
    const stop = new AbortController();
    proxy.on({ method: 'POST', path: /delete=/, fault: () => (setTimeout(() => stop.abort(), 100), fault) });
    const bulk = createTransfer({ endpoint: proxy.url });
    const error = await work(bulk, { signal: stop.signal }).then(
      () => undefined,
      (thrown: unknown) => thrown as S3Error,
    );
    expect(error?.code).toBe('Aborted');
    return error!.summary!;
  }
  const sync = (bulk: BulkTransfer, options: RunOptions) => {
    const source = createFolder();
    writeFiles(source, { one: '1' });
    return bulk.syncUp(createSortedSource(source), there, { delete: true, ...options });
  };
  const remove = (bulk: BulkTransfer, options: RunOptions) => bulk.delete(there, options);

  it.each([
    ['a sync', sync],
    ['rm -r', remove],
  ])('are waited for, and counted: %s', async (_, work) => {
    const summary = await stopped({ delay: 1000 }, work);
    expect(summary.deleted).toBeGreaterThan(0);
    expect(summary).toMatchObject({ deleted: DOOMED - (await left()), failed: 0 });
    expect(summary.maybeDeleted).toBeUndefined();
  });

  async function removing() {
    const rule = proxy.on({ method: 'POST', path: /delete=/, fault: { stallResponseAt: 0 } });
    const child = start(['rm', '-r', `s3://${there.bucket}/p`], s3Environment(proxy.url));
    const run = { child, said: '' };
    child.stderr.on('data', (text) => (run.said += text));
    while (rule.hits < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    return run;
  }

  it('are told of where the answer does not come', async () => {
    const run = await removing();
    run.child.kill('SIGINT');
    // As `timeout` does, which means but one.
    run.child.kill('SIGTERM');
    await once(run.child, 'close');
    expect(run.child.exitCode).toBe(130);
    expect(run.said).toContain('stopped, 1,200 files not done, up to 1,200 of them may be deleted\n');
    expect(await left()).toBeLessThan(DOOMED);
  }, 60_000);

  it('are waited for no more when a person asks a second time', async () => {
    const run = await removing();
    run.child.kill('SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 1000));
    run.child.kill('SIGINT');
    await once(run.child, 'close');
    expect(run.child.exitCode).toBe(130);
    expect(run.said).not.toContain('stopped');
  }, 60_000);
});
