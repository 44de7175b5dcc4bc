import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBulkTransfer, FolderTarget } from '../../src/bulk/node/index.js';
import { NodeHttpClient } from '../../src/bulk/node/http/http-client.js';
import {
  nextFaults,
  serverFolder,
  nextLengths,
  MiB,
  mediumBytes,
  origins,
  startObjectServer,
  stopObjectServer,
  tls,
} from './object-server.js';

beforeAll(startObjectServer, 120_000);
afterAll(stopObjectServer);

describe.each(['http', 'https'])('a download of middle size over %s', (scheme) => {
  const file = (): Buffer => readFileSync(join(serverFolder, 'middle'));

  async function down(key: string) {
    const bulk = createBulkTransfer({
      endpoint: `${scheme}://${origins[scheme]!.host}`,
      credentials: 'anonymous',
      wire: new NodeHttpClient({ tls }),
    });
    const from = { bucket: 'b', prefix: `middle-${key}` };
    return bulk
      .downloadExact(from, new FolderTarget(serverFolder), 'middle', { retry: { baseDelay: 1 } })
      .finally(() => bulk.close());
  }

  it.each([
    ['crc64', 0],
    ['md5', 0],
    ['untold', 1],
  ])('is compared with what came with it (%s)', async (key, unverified) => {
    nextFaults.push('cut');
    expect(await down(key)).toMatchObject({ files: 1, bytes: mediumBytes.length, failed: 0, retries: 1, unverified });
    expect(file().equals(mediumBytes)).toBe(true);
  });

  it.each(['wrong-crc64', 'wrong-md5'])('is none when it is not what came with it (%s)', async (key) => {
    writeFileSync(join(serverFolder, 'middle'), 'as it was');
    expect(await down(key)).toMatchObject({ files: 0, failures: [{ code: 'ChecksumMismatch' }] });
    expect(file().toString()).toBe('as it was');
    expect(readdirSync(serverFolder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('needs no other thread while there is little', async () => {
    let begun = 0;
    const count = (): void => void begun++;
    process.on('worker', count);
    const bulk = createBulkTransfer({
      endpoint: `${scheme}://${origins[scheme]!.host}`,
      credentials: 'anonymous',
      wire: new NodeHttpClient({ tls }),
    });
    try {
      const all = ['a', 'b', 'c', 'd', 'e'].map((name) =>
        bulk.downloadExact({ bucket: 'b', prefix: 'middle-untold' }, new FolderTarget(serverFolder), name),
      );
      for (const summary of await Promise.all(all)) expect(summary).toMatchObject({ files: 1, failed: 0 });
      expect(begun).toBe(0);
    } finally {
      process.off('worker', count);
      bulk.close();
    }
  });

  it.each([
    ['grown', 5 * MiB],
    ['shrunk', 2 * MiB],
    ['empty', 0],
  ])('has the length that it came with, not that of its listing, nor of a try before (%s)', async (_, size) => {
    nextFaults.push('cut');
    nextLengths.push(mediumBytes.length, size);
    expect(await down('untold')).toMatchObject({ files: 1, failed: 0, retries: 1 });
    expect(file().length).toBe(size);
    expect(file().subarray(0, mediumBytes.length).equals(mediumBytes.subarray(0, size))).toBe(true);
  });
});
