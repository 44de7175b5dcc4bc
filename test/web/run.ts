import { run } from '../../scripts/run.js';

// tsx lets the runner's configuration import our TypeScript.
await run('node', [
  '--import',
  'tsx',
  'node_modules/@web/test-runner/dist/bin.js',
  '--config',
  'test/web.config.mjs',
  ...process.argv.slice(2),
]);
