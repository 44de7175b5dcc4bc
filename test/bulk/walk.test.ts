import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { walk } from '../../src/bulk/node/index.js';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'walk-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('walk', () => {
  it.skipIf(process.platform !== 'linux')('reports a name that is not valid UTF-8 with advice', () => {
    mkdirSync(join(folder, 'd'));
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/d/caf`), Buffer.of(0xe9)]), 'x');
    writeFileSync(join(folder, 'd/b'), 'x');
    const seen = [...walk(folder, { sorted: true })].map(({ path, problem }) => [path, problem?.code, problem?.message]);
    expect(seen).toEqual([
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
    const seen = [...walk(folder, { sorted: true })].map(({ path, problem }) => [path.length, problem?.code, problem?.message]);
    expect(seen).toEqual([
      [1025, 'NameUnsafe', expect.stringContaining('1,024 bytes')],
      [1, undefined, undefined],
    ]);
  });
});
