import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { installPackages } from '../support/debian.js';

/** S3 clients from Debian. If one cannot be installed, its tests are skipped. */
export const debianTool = (name: string, file = `/usr/bin/${name}`): string | undefined =>
  installPackages([name], [file]) ? file : undefined;

const runFile = promisify(execFile);

/** Runs a client. @returns its stdout. @throws Error with its stderr. */
export async function runTool(command: string, args: string[], env: Record<string, string> = {}): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'svc-home-'));
  const { PATH = '' } = process.env;
  try {
    const { stdout } = await runFile(command, args, {
      // Without the configuration of the user and the certificate bundle of the machine.
      env: { PATH, HOME: home, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', ...env },
      maxBuffer: 64 * 1024 ** 2,
      timeout: 110_000,
    });
    return stdout;
  } catch (cause) {
    const { stdout, stderr } = cause as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(' ')}\n${stdout ?? ''}${stderr ?? ''}`, { cause });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** File names that tools and servers often handle wrongly. */
export const AWKWARD_NAMES = [
  'plain.txt',
  'with space.txt',
  'plus+plus.txt',
  'percent 100%.txt',
  'escape%20%2F%41.txt',
  'nfc-\u00e4\u00f6.txt',
  'nfd-a\u0308o\u0308.txt',
  'emoji-🐘👨‍👩‍👧.bin',
  '中文/日本語/한국어.txt',
  'quote\'s "double" `back`.txt',
  'amp&lt;<b>.xml',
  'hash#mark?query=1&x.txt',
  'semi;comma,equals=(paren)[square]{curly}!.txt',
  'at@colon:star*bar|.txt',
  '~tilde $dollar ^caret.txt',
  '.hidden/..dots../...three',
  ' leading and trailing ',
  `long/${'l'.repeat(200)}/${'o'.repeat(250)}/${'ü'.repeat(120)}`,
  'deep/a/b/c/d/e/f/g/h/i/j/k',
  'empty.bin',
];

/** Creates a folder with unusual file names (except those in `without`) and different content. It is deleted after the test. */
export async function awkwardFolder(without: readonly string[] = []): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'svc-awkward-'));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  const folder = join(parent, 'there');
  for (const name of AWKWARD_NAMES.filter((one) => !without.includes(one))) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, name === 'empty.bin' ? '' : randomBytes(100 + name.length));
  }
  return folder;
}

/** Returns path and SHA-256 of every file below a folder, sorted. */
export async function digests(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const lines = files.map(
    async (file) =>
      `${relative(folder, file)} ${createHash('sha256')
        .update(await readFile(file))
        .digest('hex')}`,
  );
  return (await Promise.all(lines)).toSorted();
}
