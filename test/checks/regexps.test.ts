import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkRegExps } from '../../scripts/checks/regexps.js';
import type { AcceptedRegExp } from '../../scripts/checks/regexps-accepted.js';

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'svc-regexps-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Returns the problems of a file with this code. */
async function check(code: string, accepted: Omit<AcceptedRegExp, 'file'>[] = []): Promise<string[]> {
  const file = join(folder, 'code.ts');
  await writeFile(file, code);
  const found = await checkRegExps(
    [folder],
    accepted.map((one) => ({ file, ...one })),
  );
  return found.map((line) => line.replace(`${file}:`, ''));
}

describe('the check of regular expressions', () => {
  it.each([
    ['exponential', String.raw`const TYPE: RegExp = /^\w+\/\w+(\s*;\s*\w+=("[\x20-\x7e]*"|\w+))*$/;`, 'exponential'],
    ['quadratic', 'export const trim = (text: string) => text.replace(/[. ]+$/, "");', '2nd degree polynomial'],
    ['in a call', 'const bad = new RegExp("(a+)+$", "i");', 'exponential'],
    ['in a template of constants', 'const WORD = "a+";\nconst bad = RegExp(`(${WORD})+$`);', 'exponential'],
  ])('finds one that is %s', async (_, code, problem) => {
    expect(await check(code)).toEqual([expect.stringContaining(problem)]);
  });

  it('names the line, and what is made at run time', async () => {
    expect(await check('const ok = /^a$/;\nexport const make = (text: string) => new RegExp(`^${text}$`);')).toEqual([
      '2: the regular expression `^${text}$` is made at run time, so it cannot be analyzed',
    ]);
  });

  it('lets linear ones pass, and what only looks like one', async () => {
    const code =
      'const a = /^[a-z]+$/i, b = "/(a+)+$/", c = 4 / 2 / 1; // /(a+)+$/\nconst d = <T,>(e: T) => /\\d{1,3}/.test(String(e));';
    expect(await check(code)).toEqual([]);
  });

  it('keeps the list of accepted ones short', async () => {
    const bad = { source: '(a+)+$', reason: 'a test' };
    expect(await check('const bad = /(a+)+$/;', [bad])).toEqual([]);
    expect(await check('const good = /a+/;', [bad])).toEqual([expect.stringContaining('needs no entry')]);
  });
});
