import { build } from '../setup/build.js';
import { benchBulk } from './bulk.js';
import { benchS3 } from './s3-endpoint.js';
import { benchElement } from './element/run.js';
import { benchService } from './service.js';

/** `npm run bench [-- service …]`: every measurement the README quotes, side by side with peers in one run. */
const BENCHES: Record<string, () => Promise<void>> = {
  bulk: benchBulk,
  service: benchService,
  s3: benchS3,
  element: benchElement,
};

await build({ ifStale: true });
const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !(name in BENCHES));
if (unknown.length > 0)
  throw new Error(`No measurement is called ${unknown.join(', ')}; there are ${Object.keys(BENCHES).join(', ')}.`);
for (const [name, bench] of Object.entries(BENCHES)) if (chosen.length === 0 || chosen.includes(name)) await bench();
