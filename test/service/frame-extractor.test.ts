import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FrameExtractor, framePosition } from '../../server/service/images/frames/frame-extractor.js';
import type { FrameLimits } from '../../server/service/images/frames/frame-extractor.js';
import { sweepPrivateFolders } from '../../server/service/images/frames/private-folder.js';
import { FRAME_LIMITS } from '../../server/service/images/limits.js';
import type { OpenedFile } from '../../server/service/storage/blob-storage.js';

const never = new AbortController().signal;
const MP4 = Buffer.from('\0\0\0\x10ftypisom');
let folder: string;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'svc-frames-test-'))));
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

const opened = (bytes: Buffer, accountId = 'main') =>
  ({
    file: { id: 'file_1', accountId, size: bytes.byteLength, contentType: 'video/mp4' },
    read: async () => Readable.from([bytes]),
  }) as unknown as OpenedFile;

/** Creates an extractor whose ffmpeg is a script of the shell. */
async function withScript(script: string, limits: Partial<FrameLimits> = {}): Promise<FrameExtractor> {
  const path = join(folder, 'ffmpeg');
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o700);
  return new FrameExtractor({ ffmpeg: path }, { ...FRAME_LIMITS, ...limits });
}
const leftFolders = async () =>
  (await readdir(tmpdir())).filter((name) => name.startsWith('svc-blob-frame-') && name.includes(`-${process.pid}-`));
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A process that has ended stays in the list until its parent asks for it.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
const failure = (extractor: FrameExtractor, file = opened(MP4), signal = never) =>
  extractor.extract(file, 'ffmpeg', signal).then(
    () => 'no failure',
    ({ code, details, message }: { code?: string; details?: { limit?: string }; message: string }) =>
      [code ?? message, details?.limit].filter(Boolean).join(' '),
  );

describe('a program that makes pictures', () => {
  it('runs without the environment of the service, in its own folder, and with the lowest priority', async () => {
    process.env['SVC_TEST_SECRET'] = 'hidden';
    const extractor = await withScript(
      `env > ${folder}/env; pwd > ${folder}/pwd; nice > ${folder}/nice; ulimit -v > ${folder}/memory; echo picture`,
    );
    expect((await extractor.extract(opened(MP4), 'ffmpeg', never)).toString()).toBe('picture\n');
    delete process.env['SVC_TEST_SECRET'];
    const seen = async (name: string) => (await readFile(join(folder, name), 'utf8')).trim();
    expect(await seen('env')).not.toContain('hidden');
    expect(
      (await seen('env'))
        .split('\n')
        .map((line) => line.split('=')[0])
        .sort(),
    ).toEqual(expect.arrayContaining(['HOME', 'LC_ALL', 'PATH', 'TMPDIR']));
    expect(await seen('pwd')).toContain('svc-blob-frame-');
    expect(existsSync(await seen('pwd'))).toBe(false);
    expect(await seen('nice')).toBe('19');
    if (existsSync('/usr/bin/prlimit')) expect(await seen('memory')).toBe(String(FRAME_LIMITS.memory / 1024));
  });

  it('is killed when it takes too long, or when nobody waits for it any more', async () => {
    const extractor = await withScript(`echo $$ > ${folder}/pid; exec sleep 60`, { milliseconds: 300 });
    expect(await failure(extractor)).toBe('IMAGE_TOO_LARGE time');
    const pid = Number(await readFile(join(folder, 'pid'), 'utf8'));
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    const patient = await withScript(`echo $$ > ${folder}/second; exec sleep 60`);
    const stop = new AbortController();
    const failed = failure(patient, opened(MP4), stop.signal);
    await expect.poll(() => existsSync(join(folder, 'second'))).toBe(true);
    stop.abort(new Error('stopped'));
    expect(await failed).toBe('stopped');
    expect(await leftFolders()).toEqual([]);
  });

  it('is killed with the programs that it has started', async () => {
    const extractor = await withScript(`sleep 60 & echo $! > ${folder}/pid; wait`, { milliseconds: 500 });
    expect(await failure(extractor)).toBe('IMAGE_TOO_LARGE time');
    const pid = Number(await readFile(join(folder, 'pid'), 'utf8'));
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  it.skipIf(!existsSync('/usr/bin/setsid'))(
    'keeps no request waiting if it has started a process that cannot be found',
    async () => {
      const extractor = await withScript(`setsid sleep 60 & echo $! > ${folder}/pid`, { milliseconds: 500 });
      expect(await failure(extractor)).toBe('IMAGE_TOO_LARGE time');
      process.kill(Number(await readFile(join(folder, 'pid'), 'utf8')));
    },
  );

  it('makes no statement about the file if it is missing or killed by another', async () => {
    const extractor = await withScript('exit 0');
    await rm(join(folder, 'ffmpeg'));
    expect(await failure(extractor)).toBe('SERVICE_UNAVAILABLE');
    expect(await failure(await withScript('kill -9 $$'))).toBe('SERVICE_UNAVAILABLE');
    expect(await failure(await withScript('kill -11 $$'))).toBe('IMAGE_UNREADABLE');
  });

  it('makes no statement about the file if the temporary folder is missing', async () => {
    const extractor = await withScript('exit 0');
    vi.stubEnv('TMPDIR', join(folder, 'missing'));
    expect(await failure(extractor)).toBe('SERVICE_UNAVAILABLE');
  });

  it('gets an absolute path if the temporary folder is relative', async () => {
    vi.stubEnv('TMPDIR', relative(process.cwd(), folder));
    const extractor = await withScript(`for input; do path=\${input#file:}; [ -f "$path" ] && exec cat "$path"; done; exit 1`);
    expect(await extractor.extract(opened(MP4), 'ffmpeg', never)).toEqual(MP4);
  });

  it('is killed when its picture does not end', async () => {
    expect(await failure(await withScript('exec cat /dev/zero', { output: 1_000_000 }))).toBe('IMAGE_TOO_LARGE memory');
    expect(await failure(await withScript('exit 1'))).toBe('IMAGE_UNREADABLE');
    expect(await failure(await withScript('exit 0'))).toBe('IMAGE_UNREADABLE');
    expect(await failure(await withScript('echo "Cannot allocate memory" >&2; exit 1'))).toBe('IMAGE_TOO_LARGE memory');
    expect(await leftFolders()).toEqual([]);
  });

  it('does not start for a file that is too large, or while an account has too many', async () => {
    const extractor = await withScript('exec sleep 60', { videoBytes: 100, perAccount: 1 });
    expect(await failure(extractor, opened(Buffer.alloc(101)))).toBe('IMAGE_TOO_LARGE bytes');
    const stop = new AbortController();
    const running = failure(extractor, opened(MP4), stop.signal);
    expect(await failure(extractor)).toBe('SERVICE_UNAVAILABLE');
    const other = failure(extractor, opened(MP4, 'other'), stop.signal);
    stop.abort(new Error('stopped'));
    expect([await running, await other]).toEqual(['stopped', 'stopped']);
  });

  it('runs at once for another account while one has many slow files', async () => {
    const extractor = await withScript(
      `case "$(cat input)" in *slow) echo >> ${folder}/slow; exec sleep 60;; *) echo picture;; esac`,
    );
    const stop = new AbortController();
    const slow = Array.from({ length: 10 }, () =>
      failure(extractor, opened(Buffer.from('\0\0\0\x10ftypisom slow'), 'slow'), stop.signal),
    );
    const started = async () => (await readFile(join(folder, 'slow'), 'utf8').catch(() => '')).length;
    await expect.poll(started).toBe(FRAME_LIMITS.programsPerAccount);
    for (let picture = 0; picture < 3; picture++)
      expect((await extractor.extract(opened(MP4), 'ffmpeg', never)).toString()).toBe('picture\n');
    expect(await started()).toBe(FRAME_LIMITS.programsPerAccount);
    stop.abort(new Error('stopped'));
    expect(new Set(await Promise.all(slow))).toEqual(new Set(['stopped']));
  });

  it('is asked again for the first frame if the video is shorter than it states', async () => {
    const extractor = await withScript(
      `case "$*" in *pipe:1*) case "$*" in *-ss*) ;; *) echo first;; esac;; *) echo '  Duration: 01:00:00.00' >&2;; esac`,
    );
    expect((await extractor.extract(opened(MP4), 'ffmpeg', never)).toString()).toBe('first\n');
  });
});

it.each([
  ['  Duration: 00:00:30.50, start: 0.0', 3.05],
  ['  Duration: 02:00:00.00, start', 10],
  ['  Duration: N/A', 0],
  ['title : x\n    Duration : 00:00:30', 0],
  ['', 0],
])('the position of the frame for %j is %d', (messages, position) => {
  expect(framePosition(messages)).toBeCloseTo(position);
});

it('the folders of killed processes are deleted, and no others', async () => {
  const machine = hostname().replace(/[^\w.]/g, '_');
  // No process has this id on Linux.
  const names = {
    dead: `${machine}-4194305-a`,
    own: `${machine}-${process.pid}-b`,
    // Of an earlier process with the same id, as in a container that was restarted.
    earlier: `${machine}-${process.pid}-c`,
    young: 'elsewhere-1-d',
    old: 'elsewhere-1-e',
    link: `${machine}-4194305-f`,
  };
  vi.stubEnv('TMPDIR', folder);
  const pathOf = (name: keyof typeof names) => join(folder, `svc-blob-frame-${names[name]}`);
  for (const name of ['dead', 'own', 'earlier', 'young', 'old'] as const) await mkdir(pathOf(name));
  const beforeStart = Date.now() / 1000 - process.uptime() - 60;
  await utimes(pathOf('earlier'), beforeStart, beforeStart);
  await utimes(pathOf('old'), 1, 1);
  await symlink(folder, pathOf('link'));
  await sweepPrivateFolders();
  const left = (Object.keys(names) as (keyof typeof names)[]).filter((name) => existsSync(pathOf(name)));
  expect(left).toEqual(['own', 'young', 'link']);
});
