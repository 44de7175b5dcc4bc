import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { DiskJournal, walk } from '../../src/bulk/node/index.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import type { Rule } from '../../fault-proxy/fault-proxy.js';
import { createBucket, createTransfer, createFolder, s3 } from './s3-store.js';

/** The part size that `upload` uses. */
export const PART_SIZE = 5 * 1024 * 1024;

export type InterruptedTransfer = Awaited<ReturnType<typeof createInterruptedTransfer>>;

/** Creates a proxy in front of the S3 engine, a bucket, and functions for transfers that share a journal folder. */
export async function createInterruptedTransfer() {
  const proxy = await startFaultProxy(s3.endpoint);
  const bulk = createTransfer({ endpoint: proxy.url });
  const to = { bucket: await createBucket(), prefix: '' };
  const state = join(createFolder(), 'j');
  const journal = () => new DiskJournal(state, { keepSettled: false });
  const upload = (folder: string, more = {}, transfer = bulk) => {
    const options = { partSize: PART_SIZE, multipartThreshold: PART_SIZE, retry: { tries: 1 }, journal: journal(), ...more };
    return transfer.upload(walk(folder), to, options);
  };
  /** Applies a fault rule while `work` runs, and expects that the rule was used. */
  const whileRule = async <Result>(rule: Rule, work: () => Promise<Result>): Promise<Result> => {
    const active = proxy.on(rule);
    const result = await work();
    expect(active.hits).toBeGreaterThan(0);
    active.remove();
    return result;
  };
  return { proxy, bulk, to, state, journal, upload, whileRule };
}

/** Creates a folder with random files `f0`, `f1`, … of these sizes. */
export function createFiles(...sizes: number[]): string {
  const folder = createFolder();
  sizes.forEach((size, index) => writeFileSync(join(folder, `f${index}`), randomBytes(size)));
  return folder;
}
