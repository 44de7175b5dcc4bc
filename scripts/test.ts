import { run, runInBackground } from './run.js';
import { runStages } from './stages.js';
import { runVitest } from './vitest.js';

const runNode = () => runVitest({ config: 'test/vitest.config.ts', projects: ['node*', 'database'] });
const runPages = () => runInBackground('tsx', ['test/web/run.ts']);
const runEndToEnd = () => runVitest({ config: 'test/e2e/vitest.config.ts', env: { ENGINES: 'chromium' } }, runInBackground);

/** `npm test`: static checks, then every test once: in Node, in pages, and the whole product in Chromium. */
await runStages(
  [['checks', () => run('tsx', ['scripts/checks/all.ts'])]],
  [
    ['Node', runNode],
    ['pages', runPages],
    ['end to end', runEndToEnd],
  ],
);
