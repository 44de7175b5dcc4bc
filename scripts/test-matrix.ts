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

/** The number of kills in each test that kills processes. */
const MANY_KILLS = { KILLS: '20' };

/** Tests the service on other databases and stores, bulk transfers to its S3 endpoint, and the clients of others that take longest. */
const runBackends = (): Promise<void> =>
  runVitest({ config: NODE, projects: ['postgres', 'replicas*', 'own-endpoint', 'clients'], env: MANY_KILLS });

const runEndToEnd = (files: string[], env: NodeJS.ProcessEnv): Promise<void> =>
  runVitest({ config: END_TO_END, files, env }, runInBackground);

/** Runs page tests in other browsers. */
const runPages = (): Promise<void> => run('tsx', ['test/web/run.ts', '--others'], { ENGINES: 'firefox,webkit' });

/** Runs end-to-end tests in other browsers. WebKit's driver has one session at a time. */
const runOtherBrowsers = (): Promise<void>[] =>
  ['firefox', 'webkit'].map((browser) => runEndToEnd(e2eFiles, { ENGINES: browser }));

/**
 * Tests of the console in which one replica must see what another one changed: sessions, members, jobs and files. The suite of the service runs on
 * replicas as a whole, and the other sections send the same requests.
 */
const CONSOLE_FILES = ['files-accessibility', 'files-changes', 'shell', 'workspaces'].map(
  (name) => `test/e2e/console/${name}.test.ts`,
);

/** Tests the web console on two replicas. */
const runConsole = (): Promise<void> => runEndToEnd(CONSOLE_FILES, { ENGINES: 'chromium', TEST_BACKEND: 'replicas' });

/** Tests failures that hang instead of break. A second process runs those that only wait for time limits. */
const runFailures = (): Promise<void>[] =>
  ['matrix', 'matrix-waits'].map((name) =>
    runVitest({ config: NODE, projects: [name], env: { TEST_WORKERS: '1' } }, runInBackground),
  );

/** Kills one service and bulk transfers many times. The backends kill replicas as often. */
const runKills = (): Promise<void> => runVitest({ config: NODE, projects: ['kills'], env: MANY_KILLS }, runInBackground);

/** Runs pages beside the console, then the product in other browsers beside kills. */
async function runBrowsersAndKills(): Promise<void> {
  await waitForAll(runPages(), runConsole());
  await waitForAll(...runOtherBrowsers(), runKills());
}

/**
 * `npm run test:matrix`: the combinations that `npm test` leaves out. Backends wait for databases, and failures that hang for time limits, so they run
 * beside each other. With pages beside them too, each took three times as long on two cores.
 */
await runStages([
  ['build', () => build({ ifStale: true })],
  ['backends and failures', () => waitForAll(runBackends(), ...runFailures())],
  ['browsers and kills', runBrowsersAndKills],
]);
