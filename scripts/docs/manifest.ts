import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { customElements } from './manifest/custom-elements.js';
import { vsCodeData, webTypes } from './manifest/editor-data.js';
import { frameworkTypes } from './manifest/framework-types.js';
import { readModel } from './manifest/model.js';

/** Writes the element's manifest, editor data and framework types into `dist`. */
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
