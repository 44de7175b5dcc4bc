import { build } from './build.js';
import { run, runInBackground, waitForAll } from './run.js';
import { runStages } from './stages.js';

const NODE = ['run', '--config', 'test/vitest.config.ts', '--project', 'node*', '--project', 'database'];

// Browsers leave about half a core idle, and many Node tests wait. Side by side they take about two minutes less.
const runNodeAndWeb = () => waitForAll(run('vitest', NODE), runInBackground('tsx', ['test/web/run.ts']));

/** `npm test`: static checks, then every test once. The stages that find mistakes fastest come first. */
await runStages([
  ['checks', () => run('tsx', ['scripts/checks/all.ts'])],
  ['build', () => build({ ifStale: true })],
  ['node and web', runNodeAndWeb],
  ['e2e', () => run('vitest', ['run', '--config', 'test/e2e/vitest.config.ts'], { ENGINES: 'chromium' })],
]);
