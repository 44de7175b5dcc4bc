import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { build } from './build.js';
import { runInBackground } from './run.js';
import { runStages } from './stages.js';
import type { Stage } from './stages.js';
import { runVitest } from './vitest.js';

const NODE = 'test/vitest.config.ts';
const END_TO_END = 'test/e2e/vitest.config.ts';

/** The number of kills in each test that kills processes. */
const MANY_KILLS = { KILLS: '20' };

const runNode = (projects: string[], env: NodeJS.ProcessEnv = MANY_KILLS): Promise<void> =>
  runVitest({ config: NODE, projects, env }, runInBackground);

const runEndToEnd = (files: string[], env: NodeJS.ProcessEnv): Promise<void> =>
  runVitest({ config: END_TO_END, files, env }, runInBackground);

/** Runs page tests in other browsers. */
const runPages = (): Promise<void> => runInBackground('tsx', ['test/web/run.ts', '--others'], { ENGINES: 'firefox,webkit' });

/** End-to-end tests that drive any browser. */
const e2eFiles = readdirSync('test/e2e')
  .map((name) => `test/e2e/${name}`)
  .filter((path) => path.endsWith('.test.ts') && readFileSync(path, 'utf8').includes("from './browser-page.js'"));

/** Runs end-to-end tests in another browser. WebKit's driver has one session at a time. */
const endToEndIn = (browser: string): Stage => [
  `end to end in ${browser}`,
  () => runEndToEnd(e2eFiles, { ENGINES: browser.toLowerCase() }),
];

/**
 * Tests of the console in which one replica must see what another one changed: sessions, members, jobs and files. The suite of the service runs on
 * replicas as a whole, and the other sections send the same requests.
 */
const CONSOLE_FILES = ['files-accessibility', 'files-changes', 'shell', 'workspaces'].map(consoleFile);

/** @throws Error if there is none, so that a renamed file cannot drop out of the list */
function consoleFile(name: string): string {
  const path = `test/e2e/console/${name}.test.ts`;
  if (!existsSync(path)) throw new Error(`scripts/test-matrix.ts names ${path}, which does not exist.`);
  return path;
}

/** Tests the web console on two replicas. */
const runConsole = (): Promise<void> => runEndToEnd(CONSOLE_FILES, { ENGINES: 'chromium', TEST_BACKEND: 'replicas' });

/** Tests failures that hang instead of break. Most wait for time limits, so four files at once need little of the processor. */
const runFailures = (): Promise<void> => runNode(['matrix'], { TEST_WORKERS: '4' });

/**
 * `npm run test:matrix`: the combinations that `npm test` leaves out. Stages that need less than one core stand beside those that need both:
 * failures mostly wait, and end-to-end tests in Firefox and WebKit drive one page.
 */
await runStages(
  [['build', () => build({ ifStale: true })]],
  [
    ['backends', () => runNode(['postgres', 'replicas*', 'own-endpoint', 'clients'])],
    ['failures', runFailures],
    endToEndIn('WebKit'),
    ['pages', runPages],
    endToEndIn('Firefox'),
    ['console', runConsole],
    ['kills', () => runNode(['kills'])],
  ],
);
