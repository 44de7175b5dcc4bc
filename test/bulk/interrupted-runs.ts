import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { DiskJournal, walk } from '../../src/bulk/node/index.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import type { Rule } from '../../fault-proxy/fault-proxy.js';
import { newBucket, newBulk, newFolder, s3 } from './engine.js';

/** Of what `upload` makes its parts. */
export const PART = 5 * 1024 * 1024;

export type CutShort = Awaited<ReturnType<typeof cutShort>>;

/** For runs that are cut short, one after the other with journals of one place: a proxy before the engine, and a bucket. */
export async function cutShort() {
  const proxy = await startFaultProxy(s3.endpoint);
  const bulk = newBulk({ endpoint: proxy.url });
  const to = { bucket: await newBucket(), prefix: '' };
  const state = join(newFolder(), 'j');
  const journal = () => new DiskJournal(state, { keepSettled: false });
  const upload = (folder: string, more = {}, by = bulk) => {
    const options = { partSize: PART, multipartThreshold: PART, retry: { tries: 1 }, journal: journal(), ...more };
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
export function folderOf(...sizes: number[]): string {
  const folder = newFolder();
  sizes.forEach((size, at) => writeFileSync(join(folder, `f${at}`), randomBytes(size)));
  return folder;
}
