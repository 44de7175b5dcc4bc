import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { customElements } from './manifest/custom-elements.js';
import { vsCodeData, webTypes } from './manifest/editor-data.js';
import { frameworkTypes } from './manifest/framework-types.js';
import { readModel } from './manifest/model.js';
import { tables } from './manifest/tables.js';

/** Where the element is described by hand, with tables between marks that are written here. */
const DOCUMENT = 'docs/element.md';

/** Writes what other tools read of the element into `dist`: manifest, editor data, types of frameworks. */
export async function writeManifest(): Promise<void> {
  const model = await readModel();
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
  const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;
  const files: Record<string, string> = {
    'custom-elements.json': json(customElements(model)),
    'html-custom-data.json': json(vsCodeData(model)),
    'web-types.json': json(webTypes(model, version)),
  };
  for (const [name, text] of Object.entries(frameworkTypes(model))) files[join('frameworks', name)] = text;
  await mkdir('dist/frameworks', { recursive: true });
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join('dist', name), text)));
}

/** The document as it stands, and as the source would have it. */
export async function elementDocument(): Promise<{ written: string; wanted: string }> {
  const written = await readFile(DOCUMENT, 'utf8');
  let wanted = written;
  for (const [name, text] of Object.entries(tables(await readModel()))) {
    const place = new RegExp(`(<!-- ${name}: npm run docs -->\n)[^]*?(<!-- end -->)`);
    if (!place.test(wanted)) throw new Error(`${DOCUMENT} has no place for the table "${name}".`);
    wanted = wanted.replace(place, (_, start: string, end: string) => `${start}\n${text}\n\n${end}`);
  }
  return { written, wanted };
}

if (process.argv[1]?.endsWith('manifest.ts')) await writeFile(DOCUMENT, (await elementDocument()).wanted);
