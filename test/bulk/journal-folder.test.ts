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
import { SettledOnly } from '../../src/bulk/node/journal/read-only-journal.js';

const root = mkdtempSync(join(tmpdir(), 'journals-'));
afterAll(() => rmSync(root, { recursive: true }));
const newFolder = (): string => mkdtempSync(join(root, 'j'));

describe('the journal’s folder', () => {
  const folder = (holder: object | string): string => {
    const made = newFolder();
    writeFileSync(join(made, 'lock'), typeof holder === 'string' ? holder : JSON.stringify(holder));
    return made;
  };
  const open = (made: string) => new DiskJournal(made, { keepSettled: false });

  it('has what is done within moments, however little it is: a file may have taken hours', async () => {
    const made = newFolder();
    const journal = open(made);
    journal.complete('a large file');
    const settled = () => new SettledOnly(made).isCompleted('a large file');
    expect(settled()).toBe(false);
    await expect.poll(settled, { timeout: 10_000 }).toBe(true);
    journal.close(true);
  });

  it('goes at the end, with what runs left that were killed while they made their lock', () => {
    const made = newFolder();
    for (const name of ['lock', 'lock.taking']) writeFileSync(join(made, `${name}.${randomUUID()}`), '{}');
    open(made).close(false);
    expect(existsSync(made)).toBe(false);
  });

  it('does not grow with runs that all leave something undone', () => {
    const made = newFolder();
    const sizes = [1, 2, 3].map((run) => {
      const journal = new DiskJournal(made, { keepSettled: true });
      for (const name of ['a', 'b', `new in run ${run}`]) journal.complete(name);
      journal.close(true);
      return statSync(join(made, 'settled.next')).size;
    });
    expect(sizes).toEqual([24, 32, 40]);
    const whole = new DiskJournal(made, { keepSettled: true });
    whole.complete('a');
    whole.close(false);
    const known = new SettledOnly(made);
    expect(['a', 'b', 'never'].map((name) => known.isCompleted(name))).toEqual([true, true, false]);
  });

  it('goes with the journal when there is nothing more to learn from it, and nothing of anybody else’s with it', () => {
    const [made, shared] = [newFolder(), newFolder()];
    writeFileSync(join(shared, 'precious'), 'x');
    for (const folder of [made, shared]) {
      const journal = open(folder);
      journal.begin({ key: 'a', size: 1, version: '', partSize: 1, begunMs: 0 });
      journal.complete('b');
      journal.close(false);
    }
    expect(existsSync(made)).toBe(false);
    expect(readdirSync(shared)).toEqual(['precious']);
  });

  it('is taken over from a process that is gone, also when its number was given again', () => {
    for (const holder of ['', '4194305', { host: hostname(), pid: 1, began: '' }, { host: hostname(), pid: 1, began: '-1' }]) {
      const made = folder(holder);
      const journal = open(made);
      expect(JSON.parse(readFileSync(join(made, 'lock'), 'utf8'))).toMatchObject({ pid: process.pid });
      journal.close(false);
      expect(existsSync(join(made, 'lock'))).toBe(false);
    }
  });

  it.skipIf(process.platform !== 'linux')(
    'is taken over from a process that ended and that nobody asked for its status',
    async () => {
      // It ends when its parent is no shell any more, which would ask for its status.
      const ending = 'until [ "$(cat /proc/$PPID/comm)" = sleep ]; do sleep 0.05; done';
      const parent = spawn('sh', ['-c', `sh -c '${ending}' & echo $!; exec sleep 60`]);
      const [pid] = (await once(parent.stdout, 'data')) as [Buffer];
      const stat = () => readFileSync(`/proc/${Number(pid)}/stat`, 'latin1').split(' ');
      await expect.poll(() => stat()[2], { timeout: 20_000 }).toBe('Z');
      open(folder({ host: hostname(), pid: Number(pid), began: stat()[21] })).close(false);
      parent.kill();
    },
  );

  it('is left to a process that lives, also one of an earlier release', () => {
    expect(() => open(folder(String(process.ppid)))).toThrow(expect.objectContaining({ code: 'JournalLocked' }));
  });

  it('is written to by one run alone, and never through numbers that were given to other files since', () => {
    const made = newFolder();
    const journal = new DiskJournal(made, { keepSettled: true });
    journal.begin({ key: 'k', size: 1, version: '', partSize: 1, begunMs: 0 });
    journal.complete('a');
    journal.close(true);
    const others = Array.from({ length: 8 }, (_, at) => openSync(join(made, `other${at}`), 'w'));
    const closed = expect.objectContaining({ code: 'InvalidOption', message: expect.stringContaining('one for each run') });
    expect(() => journal.isCompleted('a')).toThrow(closed);
    expect(() => journal.complete('b')).toThrow(closed);
    expect(() => journal.setUploadId('k', 'id')).toThrow(closed);
    journal.close(true);
    for (const fd of others) {
      expect(fstatSync(fd).size).toBe(0);
      closeSync(fd);
    }
    const options = { endpoint: 'http://127.0.0.1:1', credentials: 'anonymous' } as const;
    const bulk = createBulkTransfer(options);
    expect(() => bulk.uploadSession({ bucket: 'bucket', prefix: '' }, { journal })).toThrow(closed);
    return expect(bulk.upload([], { bucket: 'bucket', prefix: '' }, { journal })).rejects.toEqual(closed);
  });

  it('is left to a run of the same process', () => {
    const made = folder('');
    const first = open(made);
    expect(() => open(made)).toThrow(expect.objectContaining({ code: 'JournalLocked' }));
    first.close(true);
    open(made).close(false);
  });

  it('is taken over by one alone of several that find its holder gone', () => {
    const made = folder('4194305');
    writeFileSync(join(made, 'lock.taking'), String(process.ppid));
    expect(() => open(made)).toThrow(expect.objectContaining({ code: 'JournalLocked' }));
    expect(readFileSync(join(made, 'lock'), 'utf8')).toBe('4194305');
    // One that was killed in the midst of that keeps nobody out.
    writeFileSync(join(made, 'lock.taking'), '4194305');
    const taken = open(made);
    expect(readdirSync(made)).not.toContain('lock.taking');
    taken.close(false);
  });

  it.each([
    ['another machine', { host: 'elsewhere' }],
    ['another container under this host’s name, where numbers are its own,', { host: hostname(), space: 'pid:[1]' }],
  ])('is left to %s while that touches it', (_, where) => {
    const made = folder({ ...where, pid: process.pid, began: '' });
    const locked = { code: 'JournalLocked', message: expect.stringContaining('or was in the last 120 s') };
    expect(() => open(made)).toThrow(expect.objectContaining(locked));
    utimesSync(join(made, 'lock'), Date.now() / 1000 - 121, Date.now() / 1000 - 121);
    open(made).close(false);
  });

  it('is given back only while it is one’s own', () => {
    const made = newFolder();
    const suspended = open(made);
    const another = JSON.stringify({ host: 'elsewhere', pid: 1, began: '' });
    writeFileSync(join(made, 'lock'), another);
    suspended.close(true);
    expect(readFileSync(join(made, 'lock'), 'utf8')).toBe(another);
  });

  it('that cannot be read is said to be that in a dry run, too', () => {
    const made = newFolder();
    mkdirSync(join(made, 'settled.bin', 'no file of records'), { recursive: true });
    expect(() => new SettledOnly(made)).toThrow(expect.objectContaining({ code: 'JournalUnwritable' }));
  });

  it('that cannot be made is said to be that', () => {
    const made = newFolder();
    writeFileSync(join(made, 'file'), '');
    mkdirSync(join(made, 'd'));
    expect(() => open(join(made, 'file', 'j'))).toThrow(expect.objectContaining({ code: 'JournalUnwritable' }));
  });
});
