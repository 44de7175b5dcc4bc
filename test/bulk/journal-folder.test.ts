import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createBulkTransfer, DiskJournal } from '../../src/bulk/node/index.js';
import { ReadOnlyJournal } from '../../src/bulk/node/journal/read-only-journal.js';

const root = mkdtempSync(join(tmpdir(), 'journals-'));
afterAll(() => rmSync(root, { recursive: true }));
const createFolder = (): string => mkdtempSync(join(root, 'j'));

describe('a journal folder', () => {
  const createLockedFolder = (holder: object | string): string => {
    const folder = createFolder();
    writeFileSync(join(folder, 'lock'), typeof holder === 'string' ? holder : JSON.stringify(holder));
    return folder;
  };
  const openJournal = (folder: string) => new DiskJournal(folder, { keepSettled: false });

  it('contains a completed file after a few seconds', async () => {
    const folder = createFolder();
    const journal = openJournal(folder);
    journal.complete('a large file');
    const isRecorded = () => new ReadOnlyJournal(folder).isCompleted('a large file');
    expect(isRecorded()).toBe(false);
    await expect.poll(isRecorded).toBe(true);
    journal.close(true);
  });

  it('is removed at the end, with temporary lock files of killed processes', () => {
    const folder = createFolder();
    for (const name of ['lock', 'lock.taking']) writeFileSync(join(folder, `${name}.${randomUUID()}`), '{}');
    openJournal(folder).close(false);
    expect(existsSync(folder)).toBe(false);
  });

  it('does not grow if every transfer leaves something undone', () => {
    const folder = createFolder();
    const sizes = [1, 2, 3].map((run) => {
      const journal = new DiskJournal(folder, { keepSettled: true });
      for (const name of ['a', 'b', `new in run ${run}`]) journal.complete(name);
      journal.close(true);
      return statSync(join(folder, 'settled.next')).size;
    });
    expect(sizes).toEqual([24, 32, 40]);
    const complete = new DiskJournal(folder, { keepSettled: true });
    complete.complete('a');
    complete.close(false);
    const completed = new ReadOnlyJournal(folder);
    expect(['a', 'b', 'never'].map((name) => completed.isCompleted(name))).toEqual([true, true, false]);
  });

  it('is removed when nothing is left to resume, unless it contains other files', () => {
    const [folder, shared] = [createFolder(), createFolder()];
    writeFileSync(join(shared, 'precious'), 'x');
    for (const used of [folder, shared]) {
      const journal = openJournal(used);
      journal.begin({ key: 'a', size: 1, version: '', partSize: 1, begunMs: 0 });
      journal.complete('b');
      journal.close(false);
    }
    expect(existsSync(folder)).toBe(false);
    expect(readdirSync(shared)).toEqual(['precious']);
  });

  it('is taken over from a dead process, also if its process id is in use again', () => {
    for (const holder of ['', '4194305', { host: hostname(), pid: 1, began: '' }, { host: hostname(), pid: 1, began: '-1' }]) {
      const folder = createLockedFolder(holder);
      const journal = openJournal(folder);
      expect(JSON.parse(readFileSync(join(folder, 'lock'), 'utf8'))).toMatchObject({ pid: process.pid });
      journal.close(false);
      expect(existsSync(join(folder, 'lock'))).toBe(false);
    }
  });

  it.skipIf(process.platform !== 'linux')('is taken over from a zombie process', async () => {
    // The child ends when its parent has become `sleep`, which never collects the exit status.
    const ending = 'until [ "$(cat /proc/$PPID/comm)" = sleep ]; do sleep 0.05; done';
    const parent = spawn('sh', ['-c', `sh -c '${ending}' & echo $!; exec sleep 60`]);
    const [pid] = (await once(parent.stdout, 'data')) as [Buffer];
    const stat = () => readFileSync(`/proc/${Number(pid)}/stat`, 'latin1').split(' ');
    await expect.poll(() => stat()[2]).toBe('Z');
    openJournal(createLockedFolder({ host: hostname(), pid: Number(pid), began: stat()[21] })).close(false);
    parent.kill();
  });

  it('is refused while a live process holds the lock of an earlier release', () => {
    expect(() => openJournal(createLockedFolder(String(process.ppid)))).toThrow(
      expect.objectContaining({ code: 'JournalLocked' }),
    );
  });

  it('cannot be used through a closed journal, whose file descriptors may belong to other files', () => {
    const folder = createFolder();
    const journal = new DiskJournal(folder, { keepSettled: true });
    journal.begin({ key: 'k', size: 1, version: '', partSize: 1, begunMs: 0 });
    journal.complete('a');
    journal.close(true);
    const others = Array.from({ length: 8 }, (_, index) => openSync(join(folder, `other${index}`), 'w'));
    const closedError = expect.objectContaining({
      code: 'InvalidOption',
      message: expect.stringContaining('a journal for each run'),
    });
    expect(() => journal.isCompleted('a')).toThrow(closedError);
    expect(() => journal.complete('b')).toThrow(closedError);
    expect(() => journal.setUploadId('k', 'id')).toThrow(closedError);
    journal.close(true);
    for (const fd of others) {
      expect(fstatSync(fd).size).toBe(0);
      closeSync(fd);
    }
    const options = { endpoint: 'http://127.0.0.1:1', credentials: 'anonymous' } as const;
    const bulk = createBulkTransfer(options);
    expect(() => bulk.uploadSession({ bucket: 'bucket', prefix: '' }, { journal })).toThrow(closedError);
    return expect(bulk.upload([], { bucket: 'bucket', prefix: '' }, { journal })).rejects.toEqual(closedError);
  });

  it('is refused while the same process uses it', () => {
    const folder = createLockedFolder('');
    const first = openJournal(folder);
    expect(() => openJournal(folder)).toThrow(expect.objectContaining({ code: 'JournalLocked' }));
    first.close(true);
    openJournal(folder).close(false);
  });

  it('is taken over by only one of several processes', () => {
    const folder = createLockedFolder('4194305');
    writeFileSync(join(folder, 'lock.taking'), String(process.ppid));
    expect(() => openJournal(folder)).toThrow(expect.objectContaining({ code: 'JournalLocked' }));
    expect(readFileSync(join(folder, 'lock'), 'utf8')).toBe('4194305');
    // A process that was killed during the takeover does not block others.
    writeFileSync(join(folder, 'lock.taking'), '4194305');
    const takenOver = openJournal(folder);
    expect(readdirSync(folder)).not.toContain('lock.taking');
    takenOver.close(false);
  });

  it.each([
    ['another machine', { host: 'elsewhere' }],
    ['another container with the same host name', { host: hostname(), space: 'pid:[1]' }],
  ])('is refused while %s touches the lock', (_, where) => {
    const folder = createLockedFolder({ ...where, pid: process.pid, began: '' });
    const locked = { code: 'JournalLocked', message: expect.stringContaining('or was in the last 120 s') };
    expect(() => openJournal(folder)).toThrow(expect.objectContaining(locked));
    utimesSync(join(folder, 'lock'), Date.now() / 1000 - 121, Date.now() / 1000 - 121);
    openJournal(folder).close(false);
  });

  it('keeps the lock of another process when a journal closes', () => {
    const folder = createFolder();
    const suspended = openJournal(folder);
    const another = JSON.stringify({ host: 'elsewhere', pid: 1, began: '' });
    writeFileSync(join(folder, 'lock'), another);
    suspended.close(true);
    expect(readFileSync(join(folder, 'lock'), 'utf8')).toBe(another);
  });

  it('that cannot be read throws JournalUnwritable, also in a dry run', () => {
    const folder = createFolder();
    mkdirSync(join(folder, 'settled.bin', 'no file of records'), { recursive: true });
    expect(() => new ReadOnlyJournal(folder)).toThrow(expect.objectContaining({ code: 'JournalUnwritable' }));
  });

  it('that cannot be created throws JournalUnwritable', () => {
    const folder = createFolder();
    writeFileSync(join(folder, 'file'), '');
    mkdirSync(join(folder, 'd'));
    expect(() => openJournal(join(folder, 'file', 'j'))).toThrow(expect.objectContaining({ code: 'JournalUnwritable' }));
  });
});
