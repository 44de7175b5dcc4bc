import { run, runInBackground, waitForAll } from './run.js';
import { runStages } from './stages.js';

const NODE = ['run', '--config', 'test/vitest.config.ts', '--project', 'node*', '--project', 'database'];

const runNode = () => run('vitest', NODE);

/** `npm test`: static checks, then every test once. Tests in Node and in pages both wait often, so they run side by side. */
await runStages([
  ['checks', () => run('tsx', ['scripts/checks/all.ts'])],
  ['node and web', () => waitForAll(runNode(), runInBackground('tsx', ['test/web/run.ts']))],
  ['e2e', () => run('vitest', ['run', '--config', 'test/e2e/vitest.config.ts'], { ENGINES: 'chromium' })],
]);
