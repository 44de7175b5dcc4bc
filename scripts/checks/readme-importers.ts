import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { importsOf, sourceFiles } from './source-files.js';

/** "Imported by `a` and `b`." or "Only `a` and `b` import this folder.", with words before and between the names that change nothing. */
const CLAIM = /^(?:Imported by (?<by>.+?)|(?<subject>.+?) (?<may>may )?imports? this folder)\.$/;
const WORDS_OF_A_LIST = /^(?:Apart from tests, )?(?:[Oo]nly )?(?:`[\w./-]+`(?:, and | and |, )?)+$/;

interface Import {
  importer: string;
  target: string;
}

/**
 * Compares sentences of the forms above with the imports. Tests may import everything, so their imports do not count.
 * @returns one line for every importer of a folder that its README omits, and for every one that it names wrongly.
 */
export async function checkReadmeImporters(): Promise<string[]> {
  const files = await sourceFiles();
  const imports = (await Promise.all(files.map(readImports))).flat();
  const folders = new Set(files.flatMap((file) => parentsOf(file)).filter((folder) => existsSync(join(folder, 'README.md'))));
  const problems = await Promise.all([...folders].map((folder) => findWrongClaims(folder, imports)));
  return problems.flat();
}

const readImports = async (importer: string): Promise<Import[]> =>
  importsOf(importer, await readFile(importer, 'utf8')).flatMap(({ path }) =>
    path === undefined ? [] : [{ importer, target: path }],
  );

const parentsOf = (path: string): string[] => (path.includes('/') ? [dirname(path), ...parentsOf(dirname(path))] : []);

async function findWrongClaims(folder: string, imports: readonly Import[]): Promise<string[]> {
  const importers = imports
    .filter(({ importer, target }) => isInside(target, folder) && !isInside(importer, folder))
    .map(({ importer }) => importer);
  const readme = join(folder, 'README.md');
  return claimsOf(await readFile(readme, 'utf8')).flatMap(({ names, isPermission }) => {
    const named = names.map((name) => ({ name, path: resolve(name, folder) }));
    const omitted = importers.find((file) => !named.some(({ path }) => path !== undefined && isInside(file, path)));
    const wrong = named.filter(
      ({ path }) => path === undefined || (!isPermission && !importers.some((file) => isInside(file, path))),
    );
    return [
      ...(omitted === undefined ? [] : [`${readme}: must name ${omitted}, which imports the folder`]),
      ...wrong.map(({ name }) => `${readme}: names ${name}, which does not import the folder`),
    ];
  });
}

/** The sentences of a README that list importers. Sentences in other words are not checked. */
function claimsOf(text: string): { names: string[]; isPermission: boolean }[] {
  const paragraphs = text.split(/\n(?:\n|(?=[-|#]))/).map((paragraph) => paragraph.replaceAll('\n', ' ').trim());
  const sentences = paragraphs.flatMap((paragraph) => paragraph.split(/(?<=\.) (?=[A-Z`])/));
  return sentences.flatMap((sentence) => {
    const { by, subject, may } = CLAIM.exec(sentence)?.groups ?? {};
    const list = by ?? subject ?? '';
    if (!WORDS_OF_A_LIST.test(list)) return [];
    return [{ names: Array.from(list.matchAll(/`([^`]+)`/g), ([, name]) => name!), isPermission: may !== undefined }];
  });
}

/** Finds the path that a name stands for: relative to the folder, to one of its parents, or to the root. */
const resolve = (name: string, folder: string): string | undefined =>
  [folder, ...parentsOf(folder), '.']
    .map((base) => normalize(join(base, name)).replace(/\/$/, ''))
    .find((path) => existsSync(path));

const isInside = (file: string, folder: string): boolean => file === folder || file.startsWith(`${folder}/`);

if (process.argv[1]?.endsWith('readme-importers.ts')) {
  const problems = await checkReadmeImporters();
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
