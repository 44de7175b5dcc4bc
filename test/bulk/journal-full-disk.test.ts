import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBulkTransfer, DiskJournal } from '../../src/bulk/node/index.js';
import type { SourceFile, TransferEvent } from '../../src/bulk/types.js';

const folder = mkdtempSync(join(tmpdir(), 'bulk-full-'));
/** Small file systems, which only root may mount. */
const mounts: string[] = [];
/** Mounts a file system of this size. @returns its path, or undefined without the right to mount */
function mountDisk(size: string): string | undefined {
  const path = mkdtempSync(join(folder, 'disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path], { stdio: 'ignore' });
    mounts.push(path);
    return path;
  } catch {
    return undefined;
  }
}

/** Paths of the requests to a store that accepts everything. */
const requests: string[] = [];
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    requests.push(request.url!);
    response.writeHead(200, { etag: '"e"' }).end();
  });
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  server.close();
  for (const path of mounts) execFileSync('umount', ['-l', path]);
  rmSync(folder, { recursive: true, force: true });
});

const emptyReader = { size: 0, read: () => 0, changed: () => false, close: () => {} };
const createFiles = (count: number): SourceFile[] =>
  Array.from({ length: count }, (_, i) => ({ path: `f${i}`, size: 0, mtimeNs: BigInt(i), open: () => emptyReader }));

describe('a journal on a full disk', () => {
  it('keeps its records, and throws if it cannot add another', ({ skip }) => {
    const path = mountDisk('2m');
    skip(path === undefined, 'only root may mount a file system');
    const open = () => new DiskJournal(join(path!, 'j'), { keepSettled: true });
    const readUploads = (journal: DiskJournal) =>
      [...journal.unfinished.values()].map((file) => [file.uploadId, file.parts.size]);
    const before = open();
    for (let f = 0; f < 3; f++) {
      before.begin({ key: `big${f}`, size: 80e9, version: 'v', partSize: 8_388_608, begunMs: 1 });
      before.setUploadId(`big${f}`, `upload${f}`);
      for (let number = 1; number <= 1000; number++)
        before.addPart(`big${f}`, { number, etag: '0123456789abcdef0123456789abcdef', checksum: 'AAAAAA==' });
    }
    before.close(true);
    const all = [0, 1, 2].map((f) => [`upload${f}`, 1000]);
    const free = 2 * 1024 * 1024 - statSync(join(path!, 'j/uploads.jsonl')).size;
    writeFileSync(join(path!, 'other'), Buffer.alloc(free - 64 * 1024));
    const next = open();
    expect(readUploads(next)).toEqual(all);
    execFileSync('sh', ['-c', `cat /dev/zero > ${join(path!, 'more')} 2>/dev/null || true`]);
    const addUpload = () =>
      next.begin({ key: randomBytes(8000).toString('hex'), size: 1, version: 'v', partSize: 1, begunMs: 1 });
    expect(addUpload).toThrow(expect.objectContaining({ code: 'JournalUnwritable' }));
    next.close(true);
    expect(readUploads(open())).toEqual(all);
  });

  it('causes one journal-error event and fails no uploaded file', async ({ skip }) => {
    const path = mountDisk('8k');
    skip(path === undefined, 'only root may mount a file system');
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    using bulk = Object.assign(createBulkTransfer({ endpoint, credentials: { accessKeyId: 'a', secretAccessKey: 'b' } }), {
      [Symbol.dispose](this: { close(): void }) {
        this.close();
      },
    });
    const journalErrors: object[] = [];
    const onEvent = (event: TransferEvent) => event.type === 'journal-error' && journalErrors.push(event);
    const run = (list: SourceFile[], keepSettled: boolean) => {
      const journal = new DiskJournal(join(path!, 'j'), { keepSettled });
      return bulk.upload(list, { bucket: 'b', prefix: '' }, { journal, onEvent });
    };
    const expectedErrors = [{ code: 'JournalUnwritable', advice: expect.stringContaining('--state-dir') }];
    const problem = { path: 'unread', size: 0, problem: new Error('unread') as never };
    for (const count of [40, 600]) {
      writeFileSync(join(path!, 'fill'), Buffer.alloc(4096));
      requests.length = 0;
      const summary = await run(createFiles(count), true);
      expect(summary).toMatchObject({ files: count, failed: 0, failures: [] });
      expect(requests).toHaveLength(count);
      const reported = journalErrors.splice(0);
      if (count > 512) expect(reported).toMatchObject(expectedErrors);
      expect(readdirSync(join(path!, 'j'))).not.toContain('lock');
      // A complete run needs no journal, so the failure is not reported.
      expect(await run(createFiles(count), false)).toMatchObject({ files: count, failed: 0 });
      expect(journalErrors).toEqual([]);
      expect(existsSync(join(path!, 'j'))).toBe(false);
    }
    expect(await run([...createFiles(600), problem], false)).toMatchObject({ files: 600, failed: 1 });
    expect(journalErrors).toMatchObject(expectedErrors);
  });
});
