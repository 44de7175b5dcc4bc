import type { RunOptions } from '../../src/bulk/transfer/run-options.js';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { walk } from '../../src/bulk/node/index.js';
import type { BulkTransfer, Place, Summary } from '../../src/bulk/node/index.js';
import type { S3Error } from '../../src/bulk/errors.js';
import { startCommand } from '../cli/run-command.js';
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

/** More objects than one delete request can contain. */
const OBJECTS = 1010;

describe('pending delete requests of an aborted transfer', () => {
  let proxy: FaultProxy;
  let target: Place;
  beforeEach(async () => {
    proxy = await startFaultProxy(s3.endpoint);
    target = { bucket: await createBucket(), prefix: 'p/' };
    const folder = createFolder();
    for (let i = 0; i < OBJECTS; i++) writeFileSync(join(folder, `f${i}`), '');
    await createTransfer().upload(walk(folder), target);
  });
  afterEach(() => proxy.close());
  const countRemaining = async () =>
    (await listObjects(createTransfer(), target.bucket)).filter(({ key }) => key !== 'p/one').length;

  /** Aborts a transfer when its first delete request arrives, and applies a fault to the request. @returns the summary */
  async function abortDuringDelete(
    fault: Fault,
    work: (bulk: BulkTransfer, options: RunOptions) => Promise<unknown>,
  ): Promise<Summary> {
    const stop = new AbortController();
    proxy.on({ method: 'POST', path: /delete=/, fault: () => (stop.abort(), fault) });
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
    return bulk.syncUp(createSortedSource(source), target, { delete: true, ...options });
  };
  const remove = (bulk: BulkTransfer, options: RunOptions) => bulk.delete(target, options);

  it.each([
    ['a sync', sync],
    ['rm -r', remove],
  ])('are awaited and counted: %s', async (_, work) => {
    const summary = await abortDuringDelete({ delay: 1000 }, work);
    expect(summary.deleted).toBeGreaterThan(0);
    expect(summary).toMatchObject({ deleted: OBJECTS - (await countRemaining()), failed: 0 });
    expect(summary.maybeDeleted).toBeUndefined();
  });

  async function startRemoving() {
    const rule = proxy.on({ method: 'POST', path: /delete=/, fault: { stallResponseAt: 0 } });
    const child = startCommand(['rm', '-r', `s3://${target.bucket}/p`], s3Environment(proxy.url));
    const stderr = text(child.stderr);
    await expect.poll(() => rule.hits).toBeGreaterThanOrEqual(2);
    return { child, stderr };
  }

  it('are reported as possibly deleted if the responses are missing', async () => {
    const run = await startRemoving();
    run.child.kill('SIGINT');
    // timeout(1) also sends a second signal at once. Both count as one.
    run.child.kill('SIGTERM');
    await once(run.child, 'close');
    expect(run.child.exitCode).toBe(130);
    expect(await run.stderr).toContain('stopped, 1,010 files not done, up to 1,010 of them may be deleted\n');
    expect(await countRemaining()).toBeLessThan(OBJECTS);
  });

  it('are not awaited after a second SIGINT', async () => {
    const run = await startRemoving();
    run.child.kill('SIGINT');
    await delay(1000); // Signals within a shorter time count as one.
    run.child.kill('SIGINT');
    await once(run.child, 'close');
    expect(run.child.exitCode).toBe(130);
    expect(await run.stderr).not.toContain('stopped');
  });
});
