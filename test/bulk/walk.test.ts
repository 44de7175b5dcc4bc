import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFilter } from '../../src/bulk/list/path-filter.js';
import { walk } from '../../src/bulk/node/index.js';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'walk-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('walk', () => {
  it.skipIf(process.platform !== 'linux')('reports a name that is not valid UTF-8 with advice', () => {
    mkdirSync(join(folder, 'd'));
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/d/caf`), Buffer.of(0xe9)]), 'x');
    writeFileSync(join(folder, 'd/b'), 'x');
    const entries = [...walk(folder, { sorted: true })].map(({ path, problem }) => [path, problem?.code, problem?.message]);
    expect(entries).toEqual([
      ['d/b', undefined, undefined],
      ['d/caf\uFFFD', 'NameUnsafe', expect.stringContaining('convmv')],
    ]);
  });

  it('reports a tree whose paths are longer than a key can be', () => {
    const initialFolder = process.cwd();
    // Some systems refuse the whole path in one call.
    try {
      process.chdir(folder);
      for (let depth = 0; depth < 700; depth++) {
        mkdirSync('d');
        process.chdir('d');
      }
    } finally {
      process.chdir(initialFolder);
    }
    writeFileSync(join(folder, 'e'), 'x');
    const entries = [...walk(folder, { sorted: true })].map(({ path, problem }) => [
      path.length,
      problem?.code,
      problem?.message,
    ]);
    expect(entries).toEqual([
      [1025, 'NameUnsafe', expect.stringContaining('1,024 bytes')],
      [1, undefined, undefined],
    ]);
  });

  it.skipIf(process.getuid?.() === 0)('reports an unreadable directory unless a filter excludes all of it', () => {
    mkdirSync(join(folder, 'secret'), { mode: 0 });
    for (const sorted of [true, false]) {
      expect([...walk(folder, { sorted })]).toMatchObject([{ path: 'secret', problem: { code: 'SourceUnreadable' } }]);
      expect([...walk(folder, { sorted, filter: makeFilter([{ include: false, pattern: 'secret/' }]) })]).toEqual([]);
      // The filter may include files in the directory.
      const filter = makeFilter([{ include: true, pattern: '*.jpg' }]);
      expect([...walk(folder, { sorted, filter })]).toMatchObject([{ path: 'secret', problem: { code: 'SourceUnreadable' } }]);
    }
  });

  it('reports a source that does not exist', () => {
    const none = join(folder, 'none');
    for (const sorted of [true, false])
      expect([...walk(none, { sorted })]).toMatchObject([{ path: none, problem: { code: 'SourceUnreadable' } }]);
  });
});
