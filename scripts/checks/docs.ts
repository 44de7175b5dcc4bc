import { access, readdir, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { parseSync } from 'vite';
import { ERROR_STATUS } from '../../src/protocol/errors.js';
import { generatedPages } from '../docs/generate.js';

interface Page {
  path: string;
  text: string;
  /** The text without code blocks. */
  prose: string;
  anchors: Set<string>;
}

/** Documents outside `docs` that are checked in the same way. */
const OTHER_PAGES = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'];
/** Inline code that begins with one of these folders names a file or folder of the repository. */
const REPOSITORY_PATH = /^(?:src|server|demo|fault-proxy|scripts|test|docs)\/[\w./*-]+$/;
const CODE_BLOCK = /^```(\w*)\n([^]*?)^```$/gm;

/** @returns one line for every generated table, link, path, code block and error code that is wrong. */
export async function checkDocs(): Promise<string[]> {
  const pages = await Promise.all((await pagePaths()).map(readPage));
  const byPath = new Map(pages.map((page) => [page.path, page]));
  const problems = await Promise.all(
    pages.map(async (page) => [
      ...(await linkProblems(page, byPath)),
      ...(await pathProblems(page)),
      ...blockProblems(page),
      ...(page.path.startsWith('docs/') ? exampleProblems(page) : []),
    ]),
  );
  return [
    ...(await tableProblems()),
    ...problems.flat(),
    ...errorCodeProblems(byPath.get('docs/reference/rest.md')!),
    ...(await referenceProblems()),
    ...(await logMessageProblems(pages)),
  ];
}

async function pagePaths(): Promise<string[]> {
  const entries = await readdir('docs', { recursive: true });
  return [...entries.filter((name) => name.endsWith('.md')).map((name) => join('docs', name)), ...OTHER_PAGES];
}

async function readPage(path: string): Promise<Page> {
  const text = await readFile(path, 'utf8');
  const prose = text.replaceAll(CODE_BLOCK, '');
  return { path, text, prose, anchors: new Set(anchorsOf(prose)) };
}

/** Returns the anchors that GitHub gives to headings. */
function anchorsOf(prose: string): string[] {
  return Array.from(prose.matchAll(/^#+ (.+)$/gm), ([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

async function tableProblems(): Promise<string[]> {
  const stale = (await generatedPages()).filter(({ written, wanted }) => written !== wanted);
  return stale.map(({ path }) => `${path}: its generated tables differ from the source; run npm run docs`);
}

async function linkProblems({ path, prose, anchors }: Page, pages: Map<string, Page>): Promise<string[]> {
  const problems: string[] = [];
  for (const [, target] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target!)) continue;
    const [file = '', anchor] = target!.split('#');
    const linked = file === '' ? path : normalize(join(dirname(path), file)).replace(/\/$/, '');
    if (!(await exists(linked))) problems.push(`${path}: the link ${target} leads to no file`);
    const known = file === '' ? anchors : pages.get(linked)?.anchors;
    if (anchor !== undefined && known && !known.has(anchor)) problems.push(`${path}: ${linked} has no heading #${anchor}`);
  }
  return problems;
}

/** Checks that the tests, folders and source files that a page names exist. */
async function pathProblems({ path, prose }: Page): Promise<string[]> {
  // A changelog also names files of earlier versions.
  if (path === 'CHANGELOG.md') return [];
  const problems: string[] = [];
  for (const [, code] of prose.matchAll(/`([^`\n]+)`/g)) {
    if (!REPOSITORY_PATH.test(code!) || code!.includes('*')) continue;
    if (!(await exists(code!))) problems.push(`${path}: ${code} does not exist`);
  }
  return problems;
}

/** Checks that the pages that the code refers to exist. */
async function referenceProblems(): Promise<string[]> {
  const folders = ['src', 'server', 'demo', 'fault-proxy', 'scripts', 'test'];
  const entries = (await Promise.all(folders.map((folder) => readdir(folder, { recursive: true, withFileTypes: true })))).flat();
  const files = entries.filter((entry) => entry.isFile() && /\.(?:ts|html|md)$/.test(entry.name));
  const problems = await Promise.all(
    files.map(async (entry) => {
      const file = join(entry.parentPath, entry.name);
      const named = Array.from(
        (await readFile(file, 'utf8')).matchAll(/(?<!\}\/)\bdocs\/[\w/-]+\.(?:md|conf|service)\b/g),
        ([page]) => page,
      );
      const missing = await Promise.all(
        named.map(async (page) => ((await exists(page)) ? [] : [`${file}: ${page} does not exist`])),
      );
      return missing.flat();
    }),
  );
  return problems.flat();
}

/** Messages that PostgreSQL writes, not the service. */
const POSTGRES_MESSAGES = new Set([
  'canceling statement due to lock timeout',
  'terminating connection due to idle-in-transaction timeout',
]);

/** Checks that the service has the log messages and metrics that the pages about failures name. Numbers and `…` stand for any text. */
async function logMessageProblems(pages: Page[]): Promise<string[]> {
  const entries = await readdir('server', { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.ts'));
  const source = (await Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8')))).join('\n');
  const problems: string[] = [];
  for (const { path, prose } of pages.filter((page) => page.path.startsWith('docs/operations/failures')))
    for (const [, code] of prose.matchAll(/`([^`\n]+)`/g)) {
      const isMessage = /^[A-Za-z][\w' -]+ [^=]*$/.test(code!) && !code!.startsWith('svc-blob');
      const isMetric = code!.startsWith('svc_');
      if (POSTGRES_MESSAGES.has(code!) || (!isMessage && !isMetric)) continue;
      const parts = isMetric
        ? [/^svc_\w+/.exec(code!)![0].slice('svc_'.length)]
        : code!.split(/…|\d+/).map((part) => part.trim());
      const missing = parts.filter(
        (part) => part.length > 3 && !source.includes(part.replaceAll("'", "\\'")) && !source.includes(part),
      );
      if (missing.length > 0) problems.push(`${path}: the service has no message or metric "${code}"`);
    }
  return problems;
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Checks that code blocks in JavaScript and JSON parse. Examples may use names that they do not declare. */
function blockProblems({ path, text }: Page): string[] {
  const problems: string[] = [];
  for (const [, language, code] of text.matchAll(CODE_BLOCK)) {
    const line = text.slice(0, text.indexOf(code!)).split('\n').length;
    if (language === 'js' || language === 'jsx' || language === 'ts') {
      const { errors } = parseSync(`example.${language}`, code!, { sourceType: 'module' });
      if (errors.length > 0) problems.push(`${path}:${line}: the example does not parse: ${errors[0]!.message}`);
    }
    if (language === 'json' && !isJson(code!)) problems.push(`${path}:${line}: the example is no JSON`);
  }
  return problems;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Checks that every page begins with an example: a code block before its second heading. Indexes and tutorials begin with links and steps. */
function exampleProblems({ path, text }: Page): string[] {
  if (path === 'docs/README.md' || path.startsWith('docs/start/')) return [];
  const [beginning = ''] = text.split(/^## /m);
  return beginning.includes('```') ? [] : [`${path}: the page must begin with an example`];
}

/** Checks that the error table of the REST reference lists every code with its status. */
function errorCodeProblems({ path, text }: Page): string[] {
  const rows = new Map(Array.from(text.matchAll(/^\| `([A-Z_]+)` \| (\d+) \|/gm), ([, code, status]) => [code!, Number(status)]));
  const wrong = Object.entries(ERROR_STATUS).filter(([code, status]) => rows.get(code) !== status);
  const unknown = [...rows.keys()].filter((code) => !Object.hasOwn(ERROR_STATUS, code));
  return [
    ...wrong.map(([code, status]) => `${path}: the table of errors must list ${code} with the status ${status}`),
    ...unknown.map((code) => `${path}: the table of errors lists ${code}, which is no code`),
  ];
}

if (process.argv[1]?.endsWith('docs.ts')) {
  const problems = await checkDocs();
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
