import { build } from './build.js';
import { run } from './run.js';
import { runStages } from './stages.js';

/** `npm test`: static checks, then every test once. The stages that find mistakes fastest come first. */
await runStages([
  ['checks', () => run('tsx', ['scripts/checks/all.ts'])],
  ['build', () => build({ ifStale: true })],
  ['node', () => run('vitest', ['run', '--config', 'test/vitest.config.ts', '--project', 'node*', '--project', 'database'])],
  ['web', () => run('tsx', ['test/web/run.ts'])],
  ['e2e', () => run('vitest', ['run', '--config', 'test/e2e/vitest.config.ts'], { ENGINES: 'chromium' })],
]);
