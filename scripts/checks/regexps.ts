import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSync, Visitor } from 'vite';
import { ACCEPTED } from './regexps-accepted.js';
import type { AcceptedRegExp } from './regexps-accepted.js';

/**
 * Milliseconds for one expression, and for one attempt to find a slow text. The analysis counts its steps as well. The defaults of one second
 * and less make it report linear expressions on a busy machine.
 */
const TIMEOUTS = { timeout: 300_000, attackTimeout: 30_000, incubationTimeout: 30_000, seedingTimeout: 30_000 };
const CACHE = 'node_modules/.cache/svc-uploader';
/** Names of constants. Other names may have another value inside a function. */
const CONSTANT = /^[A-Z][A-Z\d_]*$/;

export interface FoundRegExp {
  file: string;
  line: number;
  /** The pattern, or the code that makes it, as the entries of `regexps-accepted.ts` state it. */
  source: string;
  flags: string;
  /** Whether the pattern is known at run time only. */
  isDynamic: boolean;
}

/**
 * Checks that every regular expression of the source takes linear time. Otherwise a crafted text could block the process.
 * @returns one line for each expression that is neither linear nor accepted, and for each accepted one that is no longer needed
 */
export async function checkRegExps(folders = ['src', 'server', 'demo'], accepted = ACCEPTED): Promise<string[]> {
  const found = (await Promise.all(folders.map(regExpsIn))).flat();
  const analyzer = await createAnalyzer();
  const used = new Set<AcceptedRegExp>();
  const problems: string[] = [];
  for (const expression of found) {
    const { file, line, source, isDynamic } = expression;
    const problem = isDynamic ? 'is made at run time, so it cannot be analyzed' : await analyzer.problemOf(expression);
    if (problem === undefined) continue;
    const entry = accepted.find((one) => one.file === file && one.source === source);
    if (entry) used.add(entry);
    else problems.push(`${file}:${line}: the regular expression ${source} ${problem}`);
  }
  await analyzer.save();
  const unused = accepted.filter((entry) => !used.has(entry));
  return [...problems, ...unused.map(({ file, source }) => `${file}: ${source} needs no entry in regexps-accepted.ts`)];
}

async function regExpsIn(folder: string): Promise<FoundRegExp[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name));
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  return (await Promise.all(paths.map(async (file) => regExpsOf(file, await readFile(file, 'utf8'))))).flat();
}

/** Finds the literals of a file and its calls of `RegExp`. Templates of constants of the same file count as literals. */
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

/** The used part of recheck. It is imported by a variable, so that types can be checked before the package is installed. */
interface Recheck {
  /** Analyzes with the native program of recheck for this platform. If npm installed none, recheck uses Java, or JavaScript, which takes four times as long. */
  check(
    source: string,
    flags: string,
    parameters: typeof TIMEOUTS,
  ): Promise<{ status: 'safe' } | { status: 'unknown' } | { status: 'vulnerable'; complexity: { summary: string } }>;
}
const RECHECK: string = 'recheck';

interface Analyzer {
  problemOf(found: FoundRegExp): Promise<string | undefined>;
  save(): Promise<void>;
}

/** Keeps results in a cache, because the analysis takes a quarter of a minute and few expressions change. */
async function createAnalyzer(): Promise<Analyzer> {
  const { check } = (await import(RECHECK)) as Recheck;
  const { version } = JSON.parse(await readFile('node_modules/recheck/package.json', 'utf8')) as { version: string };
  const path = join(CACHE, `regexps-${version}.json`);
  const kept = JSON.parse(await readFile(path, 'utf8').catch(() => '{}')) as Record<string, string>;
  const known = new Map(Object.entries(kept));
  return {
    async problemOf({ source, flags }) {
      const key = `/${source}/${flags}`;
      let problem = known.get(key);
      if (problem === undefined) {
        const result = await check(source, flags, TIMEOUTS);
        if (result.status === 'unknown') return 'could not be analyzed';
        problem = result.status === 'safe' ? '' : `is ${result.complexity.summary}`;
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
