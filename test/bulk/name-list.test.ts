// Own process: counts open files.
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createHashedNames, readSortedNames } from '../../server/cli/bulk/name-list.js';
import { withSession } from '../../server/cli/bulk/session.js';

const folder = mkdtempSync(join(tmpdir(), 'names-'));
afterAll(() => rmSync(folder, { recursive: true }));

function readDescriptor(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return ''; // readdir has closed its own descriptor.
  }
}

const countTemporaryFiles = () => readdirSync('/proc/self/fd').filter((fd) => readDescriptor(fd).includes('.svc-')).length;

describe.skipIf(process.platform !== 'linux')('a command session', () => {
  it('closes the temporary files of its name lists when it ends', async () => {
    const list = join(folder, 'list');
    writeFileSync(list, Array.from({ length: 300_000 }, (_, index) => `${index}\n`).join(''));
    const before = countTemporaryFiles();
    await withSession({ endpoint: 'http://127.0.0.1:1', signRequest: false }, async (session) => {
      await readSortedNames(
        session,
        { file: list, signal: undefined, endsInZero: false },
        { root: undefined, matches: () => true },
      );
      const hashedNames = createHashedNames(session);
      for (let index = 0; index < 600_000; index++) hashedNames.add(`${index}`);
      expect(countTemporaryFiles()).toBe(before + 2);
    });
    expect(countTemporaryFiles()).toBe(before);
  });
});
