import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';

/** A folder with more files needs a README. */
const MAX_FILES_WITHOUT_README = 5;
const MAX_LINES = 25;

/** Folders whose subfolders are checked. */
const FOLDERS = ['src', 'server', 'demo', 'fault-proxy', 'scripts', 'test'];
/** Folders below these need no README of their own. */
const WITHOUT_README = ['test/', 'demo/pages', 'demo/examples'];

/** A file name in backticks, with or without folders. */
const FILE_NAME = /`((?:[\w.-]+\/)*[\w-][\w.-]*\.(?:ts|js|mjs|md))`/g;

const INLINE_CODE = /`([^`\n]+)`/g;
/** A word in camel or Pascal case, which names something in the code. */
const CODE_NAME = /\b[A-Za-z]+[a-z][A-Z]\w*/g;
/** Names of other projects that READMEs mention. */
const FOREIGN_NAMES = new Set(['unsafeHTML']);

/** Folders whose README describes files of one kind together, and names a file that lists them. */
const WITHOUT_FILE_LIST = ['server/service/s3/commands', 'src/bulk/s3/commands', 'src/element/locales'];

/**
 * @returns one line for every folder without a README, every README that is too long, every file in a README that is missing, every file of a
 * folder that its README does not name, and every name in a README that the code does not contain.
 */
export async function checkReadmes(): Promise<string[]> {
  const files = await listFiles();
  const readmes = files.filter((file) => file.endsWith('/README.md'));
  const names = await readCodeNames(files);
  const problems = await Promise.all(
    readmes.map(async (path) => {
      const text = await readFile(path, 'utf8');
      return [...findReadmeProblems(path, text, files), ...findUnknownNames(path, text, names)];
    }),
  );
  return [...findMissingReadmes(files), ...problems.flat()];
}

async function listFiles(): Promise<string[]> {
  const lists = await Promise.all(
    FOLDERS.map(async (folder) => {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    }),
  );
  return lists.flat().filter((file) => !file.includes('node_modules'));
}

function findMissingReadmes(files: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  return [...counts]
    .filter(([folder, count]) => count > MAX_FILES_WITHOUT_README && !files.includes(`${folder}/README.md`))
    .filter(([folder]) => !WITHOUT_README.some((start) => folder.startsWith(start)))
    .map(([folder, count]) => `${folder}: has ${count} files; add a README.md that names the file to read first`);
}

function findReadmeProblems(path: string, text: string, files: readonly string[]): string[] {
  const lines = text.trimEnd().split('\n').length;
  const problems = lines > MAX_LINES ? [`${path}: has ${lines} lines; shorten it to ${MAX_LINES}`] : [];
  for (const file of findUnnamedFiles(path, text, files)) problems.push(`${path}: must name ${file}`);
  const prose = text.replaceAll(/^```[^]*?^```/gm, '');
  for (const [, name] of prose.matchAll(FILE_NAME))
    if (!isFileNear(path, name!, files)) problems.push(`${path}: names ${name}, which does not exist`);
  return problems;
}

/** The files beside a README, without test files, that it names neither by their names, with or without ending, nor by a pattern such as `tus*` or `…-tables.ts`. */
function findUnnamedFiles(readme: string, text: string, files: readonly string[]): string[] {
  const folder = dirname(readme);
  if (WITHOUT_FILE_LIST.includes(folder)) return [];
  const names = Array.from(text.matchAll(/`(?:[\w.-]+\/)*([\w.…*-]+)`/g), ([, name]) => name!.split(/[*…]/));
  return files
    .filter((file) => dirname(file) === folder && /(?<!\.test|\.config)\.(?:ts|js|mjs)$/.test(file))
    .map((file) => file.slice(folder.length + 1))
    .filter((file) => {
      const stem = file.replace(/\.\w+$/, '');
      return !names.some(([start, end]) =>
        end === undefined ? [file, stem].includes(start!) : isBetween([file, stem], start!, end),
      );
    });
}

const isBetween = (names: readonly string[], start: string, end: string): boolean =>
  names.some((name) => name.startsWith(start) && name.endsWith(end));

/** Returns every name that the code contains. */
async function readCodeNames(files: readonly string[]): Promise<Set<string>> {
  const sources = files.filter((file) => /\.(?:ts|js|css|html)$/.test(file));
  const texts = await Promise.all(sources.map((file) => readFile(file, 'utf8')));
  return new Set(texts.flatMap((text) => text.match(/[A-Za-z_]\w*/g) ?? []));
}

/** Finds names in a README that the code does not contain. */
export function findUnknownNames(path: string, text: string, names: ReadonlySet<string>): string[] {
  const prose = text.replaceAll(/^```[^]*?^```/gm, '');
  return Array.from(prose.matchAll(INLINE_CODE), ([, code]) => code!)
    .filter((code) => !/[/:]/.test(code))
    .flatMap((code) => code.match(CODE_NAME) ?? [])
    .filter((name) => !names.has(name) && !FOREIGN_NAMES.has(name))
    .map((name) => `${path}: names ${name}, which the code does not contain`);
}

/** Returns whether a file exists: by its path from the root, or by the end of its path in the same part of the repository. */
function isFileNear(readme: string, name: string, files: readonly string[]): boolean {
  const isPlaceholder = /(?:^|\/)[A-Z]+\.\w+$/.test(name) && !name.endsWith('.md');
  if (isPlaceholder || existsSync(name)) return true;
  const folder = dirname(readme);
  const part = folder.split('/').slice(0, 2).join('/');
  return (
    files.includes(normalize(join(folder, name))) ||
    files.some((file) => file.startsWith(`${part}/`) && file.endsWith(`/${name}`))
  );
}

if (process.argv[1]?.endsWith('readmes.ts')) {
  const problems = await checkReadmes();
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
