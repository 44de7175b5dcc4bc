import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { DiskJournal, walk } from '../../src/bulk/node/index.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import type { Rule } from '../../fault-proxy/fault-proxy.js';
import { createBucket, createTransfer, createFolder, s3 } from './s3-store.js';

/** Of what `upload` makes its parts. */
export const PART_SIZE = 5 * 1024 * 1024;

export type InterruptedTransfer = Awaited<ReturnType<typeof createInterruptedTransfer>>;

/** For runs that are cut short, one after the other with journals of one place: a proxy before the engine, and a bucket. */
export async function createInterruptedTransfer() {
  const proxy = await startFaultProxy(s3.endpoint);
  const bulk = createTransfer({ endpoint: proxy.url });
  const to = { bucket: await createBucket(), prefix: '' };
  const state = join(createFolder(), 'j');
  const journal = () => new DiskJournal(state, { keepSettled: false });
  const upload = (folder: string, more = {}, by = bulk) => {
    const options = { partSize: PART_SIZE, multipartThreshold: PART_SIZE, retry: { tries: 1 }, journal: journal(), ...more };
    return by.upload(walk(folder), to, options);
  };
  /** Does what a rule says while something goes on. */
  const during = async <Result>(rule: Rule, work: () => Promise<Result>): Promise<Result> => {
    const active = proxy.on(rule);
    const result = await work();
    expect(active.hits).toBeGreaterThan(0);
    active.remove();
    return result;
  };
  return { proxy, bulk, to, state, journal, upload, during };
}

/** Files `f0`, `f1`, … of these sizes. */
export function createFiles(...sizes: number[]): string {
  const folder = createFolder();
  sizes.forEach((size, at) => writeFileSync(join(folder, `f${at}`), randomBytes(size)));
  return folder;
}
