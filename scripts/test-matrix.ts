import { readdirSync, readFileSync } from 'node:fs';
import { build } from './build.js';
import { run, runInBackground, waitForAll } from './run.js';
import { runStages } from './stages.js';

const vitestOf = (projects: string[]): string[] => [
  'run',
  '--config',
  'test/vitest.config.ts',
  ...projects.flatMap((name) => ['--project', name]),
];

/** End-to-end tests that drive any browser. */
const e2eFiles = readdirSync('test/e2e')
  .map((name) => `test/e2e/${name}`)
  .filter((path) => path.endsWith('.test.ts') && readFileSync(path, 'utf8').includes("from './browser-page.js'"));

/** The service on other databases and stores, bulk transfers to its S3 endpoint, and the clients of others that take longest. */
const runBackends = (): Promise<void> => run('vitest', vitestOf(['postgres', 'replicas*', 'own-endpoint', 'clients']));

/** Combinations that keep the processor busy: other backends, then page tests that `npm test` runs in Chromium only, and end-to-end tests. */
async function runCombinations(): Promise<void> {
  await runBackends();
  const env = { ENGINES: 'firefox,webkit' };
  await run('tsx', ['test/web/run.ts', '--others'], env);
  await run('vitest', ['run', '--config', 'test/e2e/vitest.config.ts', ...e2eFiles], env);
}

/** Failures that hang instead of break. These tests mostly wait. */
const runFailures = (): Promise<void> => runInBackground('vitest', vitestOf(['matrix']), { TEST_WORKERS: '1' });

/** Processes that are killed many times, on one service and on replicas. The stage before has killed transfers to its endpoint. */
const runKills = (): Promise<void> => run('vitest', [...vitestOf(['node*', 'replicas']), 'kill'], { KILLS: '20' });

/**
 * `npm run test:matrix`: the combinations that `npm test` leaves out. Failures that hang mostly wait, so combinations run beside them. More beside
 * each other would make healthy processes look hung on two cores.
 */
await runStages([
  ['build', () => build({ ifStale: true })],
  ['combinations and failures', () => waitForAll(runCombinations(), runFailures())],
  ['kills', runKills],
]);
