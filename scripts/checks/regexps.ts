import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSync, Visitor } from 'vite';
import { ACCEPTED } from './regexps-accepted.js';
import type { Accepted } from './regexps-accepted.js';

// The analysis runs in JavaScript. Without this, recheck looks for a JVM or starts a program of its own.
process.env['RECHECK_SYNC_BACKEND'] = 'pure';

/** Milliseconds for one expression. One that is not judged in that time is reported too. */
const TIMEOUT = 300_000;
const CACHE = 'node_modules/.cache/svc-uploader';
/** Names of this form are those of constants. Others may stand for something else inside a function. */
const CONSTANT = /^[A-Z][A-Z\d_]*$/;

export interface FoundRegExp {
  file: string;
  line: number;
  /** What the entries of `regexps-accepted.ts` name: the pattern, or the code that makes it. */
  source: string;
  flags: string;
  /** Made from values that are known at run time only. */
  isDynamic: boolean;
}

/**
 * Checks every regular expression of the source for super-linear time: a text made for it would block the process.
 * @returns one line for each that is neither linear nor accepted, and for each accepted one that is no longer needed.
 */
export async function checkRegExps(folders = ['src', 'server', 'demo'], accepted = ACCEPTED): Promise<string[]> {
  const found = (await Promise.all(folders.map(regExpsIn))).flat();
  const judge = await makeJudge();
  const used = new Set<Accepted>();
  const problems = found.flatMap((one) => {
    const problem = one.isDynamic ? 'is made at run time, so it cannot be judged' : judge.problemOf(one);
    if (problem === undefined) return [];
    const entry = accepted.find(({ file, source }) => file === one.file && source === one.source);
    if (entry) used.add(entry);
    return entry ? [] : [`${one.file}:${one.line}: the regular expression ${one.source} ${problem}`];
  });
  await judge.save();
  const unused = accepted.filter((entry) => !used.has(entry));
  return [...problems, ...unused.map(({ file, source }) => `${file}: ${source} need not be accepted in regexps-accepted.ts`)];
}

async function regExpsIn(folder: string): Promise<FoundRegExp[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name));
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  return (await Promise.all(paths.map(async (file) => regExpsOf(file, await readFile(file, 'utf8'))))).flat();
}

/** The literals of a file and its calls of `RegExp`. Templates of constants of the same file count as literals. */
function regExpsOf(file: string, text: string): FoundRegExp[] {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`);
  const constants = new Map<string, string>();
  const found: FoundRegExp[] = [];
  const add = (at: number, source: string, flags = '', isDynamic = false) =>
    found.push({ file, line: text.slice(0, at).split('\n').length, source, flags, isDynamic });
  const textOf = (node: Node): string | undefined => {
    if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
    if (node.type === 'Identifier') return CONSTANT.test(node.name) ? constants.get(node.name) : undefined;
    if (node.type !== 'TemplateLiteral') return undefined;
    const values = node.expressions.map((one) => textOf(one));
    if (values.includes(undefined)) return undefined;
    return node.quasis.map(({ value }, index) => (value.cooked ?? '') + (values[index] ?? '')).join('');
  };
  const call = ({ callee, arguments: args, start }: Call): void => {
    if (callee.type !== 'Identifier' || callee.name !== 'RegExp' || args.length === 0) return;
    const [pattern, flags] = args as Node[];
    const made = textOf(pattern!);
    const known = flags === undefined ? '' : textOf(flags);
    if (made === undefined || known === undefined) add(start, text.slice(pattern!.start, pattern!.end), '', true);
    else add(start, made, known);
  };
  new Visitor({
    VariableDeclarator({ id, init }) {
      const value = init && textOf(init);
      if (id.type === 'Identifier' && typeof value === 'string') constants.set(id.name, value);
    },
    Literal(node) {
      if ('regex' in node) add(node.start, node.regex.pattern, node.regex.flags);
    },
    NewExpression: call,
    CallExpression: call,
  }).visit(program);
  return found;
}

type Call =
  | Parameters<NonNullable<ConstructorParameters<typeof Visitor>[0]['NewExpression']>>[0]
  | Parameters<NonNullable<ConstructorParameters<typeof Visitor>[0]['CallExpression']>>[0];
type Node = Extract<Call['arguments'][number], { type: string }>;

/** What is used of recheck. Loaded by a name, so that types are checked also before a newly added package is installed. */
interface Recheck {
  checkSync(
    source: string,
    flags: string,
    parameters: { timeout: number },
  ): { status: 'safe' } | { status: 'unknown' } | { status: 'vulnerable'; complexity: { summary: string } };
}
const RECHECK: string = 'recheck';

interface Judge {
  problemOf(found: FoundRegExp): string | undefined;
  save(): Promise<void>;
}

/** Remembers what it found: the analysis takes half a minute, and few expressions change. */
async function makeJudge(): Promise<Judge> {
  const { checkSync } = (await import(RECHECK)) as Recheck;
  const { version } = JSON.parse(await readFile('node_modules/recheck/package.json', 'utf8')) as { version: string };
  const path = join(CACHE, `regexps-${version}.json`);
  const kept = JSON.parse(await readFile(path, 'utf8').catch(() => '{}')) as Record<string, string>;
  const known = new Map(Object.entries(kept));
  return {
    problemOf({ source, flags }) {
      const key = `/${source}/${flags}`;
      let problem = known.get(key);
      if (problem === undefined) {
        const judged = checkSync(source, flags, { timeout: TIMEOUT });
        if (judged.status === 'unknown') return 'could not be judged';
        problem = judged.status === 'safe' ? '' : `is ${judged.complexity.summary}`;
        known.set(key, problem);
      }
      return problem === '' ? undefined : problem;
    },
    async save() {
      await mkdir(CACHE, { recursive: true });
      await writeFile(path, JSON.stringify(Object.fromEntries(known)));
    },
  };
}
