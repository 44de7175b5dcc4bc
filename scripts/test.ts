import { run, runInBackground, waitForAll } from './run.js';
import { runStages } from './stages.js';
import { runVitest } from './vitest.js';

const runNode = () => runVitest({ config: 'test/vitest.config.ts', projects: ['node*', 'database'] });
const runPages = () => runInBackground('tsx', ['test/web/run.ts']);
const runEndToEnd = () => runVitest({ config: 'test/e2e/vitest.config.ts', env: { ENGINES: 'chromium' } }, runInBackground);

/** Runs the tests in Node beside those in pages, and those of the whole product in Chromium as soon as one of the two ends. */
async function runAll(): Promise<void> {
  const first = [runNode(), runPages()];
  const next = Promise.race(first.map((command) => command.catch(() => {}))).then(runEndToEnd);
  await waitForAll(...first, next);
}

/** `npm test`: static checks, then every test once. All kinds of tests wait often, so two run side by side. */
await runStages([
  ['checks', () => run('tsx', ['scripts/checks/all.ts'])],
  ['tests', runAll],
]);
