import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sourceFiles } from './source-files.js';

/** Openings of a sentence that hide its subject behind a clause, or that need the sentence before to be understood. */
const CLAUSE_FIRST =
  /^(?:What|Who|Which\b|Why\b|How\b|Where\b|Whoever|Whatever|Whichever|Whose|Those|Nobody|Somebody|Everybody|None|However (?:many|much)|So (?:many|much|long)|Of (?:an?|the|what|all|its)\b|Likewise|Else\b|Such\b)/;

/** Vague subjects. Comments and documents name the person, the process or the request instead. */
const VAGUE = /\b(?:[Nn]obody|[Ss]omebody|[Ee]verybody|[Nn]o one|[Ii]t is said|for ever)\b/;

/** Metaphors that were names once. Plain terms replaced them. */
const REPLACED_NAMES = [
  'Lanes|Shipping|Trip|Tally|Passage|isMistake|Doomed|InTheWay|sparing|factsAt|ObjectFacts|unlessUntold|nothingBelow|readAgain',
  'unattended|unheard|unnoted|Filler|Fillers|Errand|Errands|deaf|ears|Listening|breathe|Stretch|Slab|Slabs|Hole|Wish|foresee',
  'uselessFlags|doomed|inTheWay|Spot|Gate|Guard|Ahead|Meter|fate',
].join('|');
const REPLACED = new RegExp(`\\b(?:${REPLACED_NAMES})\\b`);

/** Words that prose may contain, but that must not be names or parts of names. */
const REPLACED_WORDS = new Set(
  [
    'tally passage wish wishes scratch pace lane lanes shipping doomed sparing untold unattended unheard unnoted filler fillers errand',
    'errands deaf ear ears breathe slab slabs foresee ledger fate gate gates spot hole holes useless trouble mistake mistakes stuck touched',
  ].flatMap((line) => line.split(' ')),
);
/** Public names of earlier releases. */
const PUBLIC_NAMES = new Set(['ScratchUnwritable', 'TransportPassage']);
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

/**
 * Checks that comments of the product and all documents begin sentences with their subject, and that replaced names are gone, in tests as
 * well.
 * @returns one line for each problem
 */
export async function checkProse(): Promise<string[]> {
  const product = await sourceFiles();
  const tests = await sourceFiles(['test']);
  const documents = await listDocuments();
  const problems = await Promise.all([
    ...product.map(async (file) => {
      const source = await readFile(file, 'utf8');
      return [...findHiddenSubjects(file, sentences(source)), ...findReplacedNames(file, source)];
    }),
    ...documents.map(async (file) => findDocumentProblems(file, await readFile(file, 'utf8'))),
    ...tests.map(async (file) => findReplacedNames(file, await readFile(file, 'utf8'))),
  ]);
  return problems.flat();
}

async function listDocuments(): Promise<string[]> {
  const folders = ['src', 'server', 'demo', 'fault-proxy', 'scripts', 'test', 'docs'];
  const lists = await Promise.all(
    folders.map(async (folder) => (await readdir(folder, { recursive: true })).map((name) => join(folder, name))),
  );
  const found = lists.flat().filter((file) => file.endsWith('.md') && !file.includes('node_modules'));
  return ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...found];
}

/** Returns the sentences of a document, without code, headings and questions. Each cell of a table begins a sentence. */
function documentSentences(text: string): Sentence[] {
  const prose = text.replaceAll(/^```[^]*?^```/gm, (block) => block.replaceAll(/[^\n]/g, ''));
  return prose.split('\n').flatMap((line, index) => {
    if (line.startsWith('#')) return [];
    const texts = line.split(/(?<=[.!?:]) (?=[A-Z])|\|/).map((part) => part.replace(/^[\s>*\d.-]+/, '').trim());
    return texts.filter((part) => part.includes(' ') && !part.endsWith('?')).map((part) => ({ line: index + 1, text: part }));
  });
}

/** Finds the sentences of a document that hide or blur their subject. */
export const findDocumentProblems = (file: string, text: string): string[] => findHiddenSubjects(file, documentSentences(text));

function findHiddenSubjects(file: string, found: readonly Sentence[]): string[] {
  return found.flatMap(({ line, text }) => {
    if (CLAUSE_FIRST.test(text)) return [`${file}:${line}: begin with the subject: "${text.slice(0, 60)}"`];
    const vague = VAGUE.exec(text)?.[0];
    return vague === undefined ? [] : [`${file}:${line}: name the subject instead of "${vague}"`];
  });
}

/** Finds metaphors that were replaced by plain names, in the code and comments of a file. */
export function findReplacedNames(file: string, source: string): string[] {
  if (file === 'scripts/checks/prose.ts' || file.endsWith('/common-passwords.ts')) return [];
  return source.split('\n').flatMap((text, index) => {
    const unquoted = text.replace(/['"`].*?['"`]/g, '');
    const name = REPLACED.exec(unquoted)?.[0] ?? findReplacedWord(unquoted.replace(COMMENT, ''));
    return name === undefined ? [] : [`${file}:${index + 1}: the name "${name}" was replaced; use the field's term`];
  });
}

/** Returns the first name with a replaced word in it, such as `isUseless`. */
function findReplacedWord(code: string): string | undefined {
  return (code.match(/[A-Za-z_]\w*/g) ?? []).find(
    (name) =>
      !PUBLIC_NAMES.has(name) && (name.match(/[A-Z]?[a-z]+/g) ?? []).some((word) => REPLACED_WORDS.has(word.toLowerCase())),
  );
}

if (process.argv[1]?.endsWith('prose.ts')) {
  const only = process.argv.slice(2);
  const problems = (await checkProse()).filter((line) => only.length === 0 || only.some((path) => line.startsWith(path)));
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
