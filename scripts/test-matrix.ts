import { readdirSync, readFileSync } from 'node:fs';
import { build } from './build.js';
import { run, runInBackground, waitForAll } from './run.js';
import { runStages } from './stages.js';
import { runVitest } from './vitest.js';

const NODE = 'test/vitest.config.ts';
const END_TO_END = 'test/e2e/vitest.config.ts';

/** End-to-end tests that drive any browser. */
const e2eFiles = readdirSync('test/e2e')
  .map((name) => `test/e2e/${name}`)
  .filter((path) => path.endsWith('.test.ts') && readFileSync(path, 'utf8').includes("from './browser-page.js'"));

/** Tests the service on other databases and stores, bulk transfers to its S3 endpoint, and the clients of others that take longest. */
const runBackends = (): Promise<void> =>
  runVitest({ config: NODE, projects: ['postgres', 'replicas*', 'own-endpoint', 'clients'] });

const runEndToEnd = (files: string[], env: NodeJS.ProcessEnv): Promise<void> =>
  runVitest({ config: END_TO_END, files, env }, runInBackground);

/** Runs page tests, then end-to-end tests in other browsers. WebKit's driver has one session at a time. */
async function runOtherBrowsers(): Promise<void> {
  await run('tsx', ['test/web/run.ts', '--others'], { ENGINES: 'firefox,webkit' });
  await waitForAll(...['firefox', 'webkit'].map((browser) => runEndToEnd(e2eFiles, { ENGINES: browser })));
}

/** Tests the web console on two replicas. */
const runConsole = (): Promise<void> => runEndToEnd(['test/e2e/console'], { ENGINES: 'chromium', TEST_BACKEND: 'replicas' });

/** Runs combinations that keep the processor busy: other backends, then other browsers beside the web console on two replicas. */
async function runCombinations(): Promise<void> {
  await runBackends();
  await waitForAll(runOtherBrowsers(), runConsole());
}

/** Tests failures that hang instead of break. A second process runs those that only wait for time limits. */
const runFailures = (): Promise<void>[] =>
  ['matrix', 'matrix-waits'].map((name) =>
    runVitest({ config: NODE, projects: [name], env: { TEST_WORKERS: '1' } }, runInBackground),
  );

/**
 * Tests that kill as often as KILLS says. `npm test` and the stage before run the other tests of killed processes, and kill transfers to this
 * product's endpoint.
 */
const KILL_FILES = ['test/service/kill.test.ts', 'test/service/replicas-killed.test.ts', 'test/bulk/killed-commands.test.ts'];

/** Kills processes many times, on one service and on replicas. */
const runKills = (): Promise<void> =>
  runVitest({ config: NODE, projects: ['node', 'replicas'], files: KILL_FILES, env: { KILLS: '20' } });

/**
 * `npm run test:matrix`: the combinations that `npm test` leaves out. Failures that hang mostly wait, so combinations run beside them. More beside
 * each other would make healthy processes look hung on two cores.
 */
await runStages([
  ['build', () => build({ ifStale: true })],
  ['combinations and failures', () => waitForAll(runCombinations(), ...runFailures())],
  ['kills', runKills],
]);
