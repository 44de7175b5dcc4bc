import { build } from './build.js';
import { run } from './run.js';

// What CI runs, in the order in which a mistake is cheapest to find.
try {
  await run('tsx', ['scripts/checks/all.ts']);
  await build();
  await run('vitest', ['run', '--config', 'test/vitest.config.ts']);
  await run('tsx', ['test/web/run.ts']);
  await run('vitest', ['run', '--config', 'test/e2e/vitest.config.ts']);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
