import { readFile, writeFile } from 'node:fs/promises';
import { commandHelp } from './commands.js';
import { interfaceTable } from './interfaces.js';
import { elementTables } from './manifest/tables.js';
import { readModel } from './manifest/model.js';
import { routeTables } from './routes.js';

/** A page of which some sections are generated. */
export interface GeneratedPage {
  path: string;
  written: string;
  wanted: string;
}

/** A generated section stands between `<!-- NAME: npm run docs -->` and `<!-- end -->`. */
const SECTION = /(<!-- ([^\n]+?): npm run docs -->\n)[^]*?(<!-- end -->)/g;

const PAGES = [
  'docs/reference/element.md',
  'docs/reference/helper.md',
  'docs/reference/commands.md',
  'docs/reference/rest.md',
  'docs/reference/bulk-api.md',
  'docs/reference/settings.md',
];

/** @returns every page with generated sections, as it is written and as the source wants it */
export async function generatedPages(): Promise<GeneratedPage[]> {
  const sections = new Map(Object.entries(elementTables(await readModel())));
  sections.set('commands', await commandHelp());
  sections.set('routes', await routeTables());
  return Promise.all(
    PAGES.map(async (path) => {
      const written = await readFile(path, 'utf8');
      const texts = new Map(sections);
      for (const [, , name] of written.matchAll(SECTION)) {
        const [, type, file] = /^interface (\w+) of (\S+)$/.exec(name!) ?? [];
        if (type !== undefined) texts.set(name!, await interfaceTable(file!, type));
        else if (!texts.has(name!)) throw new Error(`${path}: no section is called "${name}".`);
      }
      const wanted = written.replace(
        SECTION,
        (_, start: string, name: string, end: string) => `${start}\n${texts.get(name)}\n\n${end}`,
      );
      return { path, written, wanted };
    }),
  );
}

if (process.argv[1]?.endsWith('generate.ts'))
  for (const { path, wanted } of await generatedPages()) await writeFile(path, wanted);
