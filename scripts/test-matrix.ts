import { readdirSync, readFileSync } from 'node:fs';
import { build } from './build.js';
import { run, waitForAll } from './run.js';
import { runStages } from './stages.js';

const vitest = (projects: string[], files: string[] = [], env: NodeJS.ProcessEnv = {}): Promise<void> =>
  run('vitest', ['run', '--config', 'test/vitest.config.ts', ...projects.flatMap((name) => ['--project', name]), ...files], env);

/** End-to-end tests that drive any browser. */
const e2eFiles = readdirSync('test/e2e')
  .map((name) => `test/e2e/${name}`)
  .filter((path) => path.endsWith('.test.ts') && readFileSync(path, 'utf8').includes("from './browser-page.js'"));

async function runOtherBrowsers(): Promise<void> {
  const env = { ENGINES: 'firefox,webkit' };
  await run('tsx', ['test/web/run.ts', '--all'], env);
  await run('vitest', ['run', '--config', 'test/e2e/vitest.config.ts', ...e2eFiles], env);
}

/** `npm run test:matrix`: the combinations that `npm test` leaves out. Tests of failures mostly wait, so other browsers run beside them. */
await runStages([
  ['build', () => build({ ifStale: true })],
  ['backends', () => vitest(['postgres', 'replicas', 'own-endpoint'])],
  ['failures and other browsers', () => waitForAll(vitest(['matrix']), runOtherBrowsers())],
  ['kills', () => vitest(['node*', 'replicas', 'own-endpoint'], ['kill'], { KILLS: '50' })],
]);
