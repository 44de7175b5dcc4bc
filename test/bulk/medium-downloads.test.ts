// Own process: counts threads.
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

describe.each(['http', 'https'])('a download of medium size over %s', (scheme) => {
  const readTarget = (): Buffer => readFileSync(join(serverFolder, 'middle'));

  async function download(key: string) {
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
    ['no-checksum', 1],
  ])('is compared with the checksum of the response (%s)', async (key, unverified) => {
    nextFaults.push('cut');
    expect(await download(key)).toMatchObject({ files: 1, bytes: mediumBytes.length, failed: 0, retries: 1, unverified });
    expect(readTarget().equals(mediumBytes)).toBe(true);
  });

  it.each(['wrong-crc64', 'wrong-md5'])('fails and keeps the old file if the checksum differs (%s)', async (key) => {
    writeFileSync(join(serverFolder, 'middle'), 'as it was');
    expect(await download(key)).toMatchObject({ files: 0, failures: [{ code: 'ChecksumMismatch' }] });
    expect(readTarget().toString()).toBe('as it was');
    expect(readdirSync(serverFolder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('starts no worker thread for a few files', async () => {
    let workers = 0;
    const count = (): void => void workers++;
    process.on('worker', count);
    const bulk = createBulkTransfer({
      endpoint: `${scheme}://${origins[scheme]!.host}`,
      credentials: 'anonymous',
      wire: new NodeHttpClient({ tls }),
    });
    try {
      const all = ['a', 'b', 'c', 'd', 'e'].map((name) =>
        bulk.downloadExact({ bucket: 'b', prefix: 'middle-no-checksum' }, new FolderTarget(serverFolder), name),
      );
      for (const summary of await Promise.all(all)) expect(summary).toMatchObject({ files: 1, failed: 0 });
      expect(workers).toBe(0);
    } finally {
      process.off('worker', count);
      bulk.close();
    }
  });

  it.each([
    ['grown', 5 * MiB],
    ['shrunk', 2 * MiB],
    ['empty', 0],
  ])('gets the length of the last response, not that of the listing or an earlier try (%s)', async (_, size) => {
    nextFaults.push('cut');
    nextLengths.push(mediumBytes.length, size);
    expect(await download('no-checksum')).toMatchObject({ files: 1, failed: 0, retries: 1 });
    expect(readTarget().length).toBe(size);
    expect(readTarget().subarray(0, mediumBytes.length).equals(mediumBytes.subarray(0, size))).toBe(true);
  });
});
