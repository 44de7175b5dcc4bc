import { run, runInBackground, waitForAll } from './run.js';
import { runStages } from './stages.js';

const NODE = ['run', '--config', 'test/vitest.config.ts', '--project', 'node*', '--project', 'database'];

const runNode = () => run('vitest', NODE);

/** Runs the tests in pages, then those of the whole product in Chromium. */
async function runPages(): Promise<void> {
  await runInBackground('tsx', ['test/web/run.ts']);
  await runInBackground('vitest', ['run', '--config', 'test/e2e/vitest.config.ts'], { ENGINES: 'chromium' });
}

/** `npm test`: static checks, then every test once. Tests in Node and in pages both wait often, so they run side by side. */
await runStages([
  ['checks', () => run('tsx', ['scripts/checks/all.ts'])],
  ['node and pages', () => waitForAll(runNode(), runPages())],
]);
