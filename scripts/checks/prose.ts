import { readFile } from 'node:fs/promises';
import { sourceFiles } from './source-files.js';

/** Openings of a sentence that hide its subject behind a clause, or that need the sentence before to be understood. */
const CLAUSE_FIRST =
  /^(?:What|Who|Which\b|Why\b|How\b|Where\b|Whoever|Whatever|Whichever|Whose|Those|Nobody|Somebody|Everybody|None|However (?:many|much)|So (?:many|much|long)|Of (?:an?|the|what|all|its)\b|Likewise|Else\b|Such\b)/;

/** Metaphors that were names once. Plain terms replaced them. */
const REPLACED_NAMES = [
  'Lanes|Shipping|Trip|Tally|Passage|isMistake|Doomed|InTheWay|sparing|factsAt|ObjectFacts|unlessUntold|nothingBelow|readAgain',
  'unattended|unheard|unnoted|Filler|Fillers|Errand|Errands|deaf|ears|Listening|breathe|Stretch|Slab|Slabs|Hole|Wish|foresee',
  'uselessFlags|doomed|inTheWay|Spot|Gate|Guard|Ahead|Meter|fate',
].join('|');
const REPLACED = new RegExp(`\\b(?:${REPLACED_NAMES})\\b`);

/** Words that prose may contain, but that must not be names. */
const REPLACED_IDENTIFIERS = /\b(?:tally|passage|wish|scratch|pace)\b/;
const COMMENT = /^\s*(?:\/\*|\*).*|\/\/.*/;

interface Sentence {
  line: number;
  text: string;
}

/** The sentences of the comments of a file. Tags such as `@param` begin a sentence of their own and are left out. */
function sentences(source: string): Sentence[] {
  const found: Sentence[] = [];
  let open: Sentence | undefined;
  for (const [index, line] of source.split('\n').entries()) {
    const text = /^\s*(?:\/\/|\/\*\*|\*(?!\/))\s?(.*?)(?:\s*\*\/)?$/.exec(line)?.[1];
    if (text === undefined || text === '' || text.startsWith('@')) {
      open = undefined;
      continue;
    }
    const [first, ...others] = text.split(/(?<=[.!?;:]) (?=[A-Z])/);
    if (!open) found.push((open = { line: index + 1, text: first! }));
    else if (/[.!?]$/.test(open.text)) found.push((open = { line: index + 1, text: first! }));
    else open.text += ` ${first}`;
    for (const other of others) found.push((open = { line: index + 1, text: other }));
  }
  return found;
}

/** @returns one line for every comment of the product that hides its subject, and for every replaced name, in tests as well. */
export async function checkProse(): Promise<string[]> {
  const product = await sourceFiles();
  const tests = await sourceFiles(['test']);
  const problems = await Promise.all([
    ...product.map(async (file) => {
      const source = await readFile(file, 'utf8');
      return [...findHiddenSubjects(file, source), ...findReplacedNames(file, source)];
    }),
    ...tests.map(async (file) => findReplacedNames(file, await readFile(file, 'utf8'))),
  ]);
  return problems.flat();
}

function findHiddenSubjects(file: string, source: string): string[] {
  return sentences(source)
    .filter(({ text }) => CLAUSE_FIRST.test(text))
    .map(({ line, text }) => `${file}:${line}: begin with the subject: "${text.slice(0, 60)}"`);
}

function findReplacedNames(file: string, source: string): string[] {
  if (file === 'scripts/checks/prose.ts') return [];
  return source.split('\n').flatMap((text, index) => {
    const unquoted = text.replace(/['"`].*?['"`]/g, '');
    const name = (REPLACED.exec(unquoted) ?? REPLACED_IDENTIFIERS.exec(unquoted.replace(COMMENT, '')))?.[0];
    return name === undefined ? [] : [`${file}:${index + 1}: the name "${name}" was replaced; use the field's term`];
  });
}

if (process.argv[1]?.endsWith('prose.ts')) {
  const only = process.argv.slice(2);
  const problems = (await checkProse()).filter((line) => only.length === 0 || only.some((path) => line.startsWith(path)));
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
