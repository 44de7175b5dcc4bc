import { build } from '../../scripts/build.js';
import { benchBulk } from './bulk.js';
import { benchConsole } from './console.js';
import { benchS3 } from './s3-endpoint.js';
import { benchElement } from './element/run.js';
import { benchService } from './service.js';

/**
 * `npm run bench [-- service …]` runs every measurement that the README quotes, side by side with peers. Words after the name of a
 * measurement select its parts: `-- element upload`, `-- service memory`, `-- bulk small sink`.
 */
const BENCHES: Record<string, (parts: string[]) => Promise<void>> = {
  bulk: benchBulk,
  service: benchService,
  s3: benchS3,
  element: benchElement,
  console: benchConsole,
};

const WITH_PARTS = new Set(['bulk', 'console', 'element', 'service']);

const wanted: { name: string; parts: string[] }[] = [];
for (const word of process.argv.slice(2)) {
  const last = wanted.at(-1);
  if (word in BENCHES) wanted.push({ name: word, parts: [] });
  else if (last && WITH_PARTS.has(last.name)) last.parts.push(word);
  else throw new Error(`No measurement is called ${word}; there are ${Object.keys(BENCHES).join(', ')}.`);
}
if (wanted.length === 0) for (const name of Object.keys(BENCHES)) wanted.push({ name, parts: [] });
await build({ ifStale: true });
for (const { name, parts } of wanted) await BENCHES[name]!(parts);
