import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const LOCALES = 'src/element/locales';

/** Returns the tags of the languages that the element has, in lower case. */
const findLocales = (): string[] =>
  readdirSync(LOCALES)
    .filter((file) => /^[a-z]{2}(?:-[a-z]{2,4})?\.ts$/.test(file))
    .map((file) => file.slice(0, -'.ts'.length))
    .sort();

describe('the languages of the element', () => {
  it('are all in the playground', () => {
    const source = readFileSync('demo/site/playground.ts', 'utf8');
    const listed = /const LOCALES =\s*'([^']+)'/.exec(source)![1]!.toLowerCase().split(' ').sort();
    expect(listed).toEqual(findLocales());
  });

  it.each(['README.md', `${LOCALES}/README.md`])('are counted in %s', (path) => {
    expect(readFileSync(path, 'utf8')).toContain(`${findLocales().length} languages`);
  });
});
