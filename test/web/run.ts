import { readdirSync, readFileSync } from 'node:fs';
import { CommandError, run } from '../../scripts/run.js';

/**
 * Runs the tests of the element in browsers. Chromium runs all of them. Firefox and WebKit run the files whose first line begins with
 * `// Every browser:` and a reason, without their tests that are declared by `itOnce`. With `--all` (as in `npm run test:matrix`), all browsers
 * run all tests. ENGINES selects browsers, arguments select files, whose tests all run.
 */
const args = process.argv.slice(2);
const named = args.filter((arg) => !arg.startsWith('--'));
const testFiles = (): string[] =>
  readdirSync('test/web', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => `test/web/${path}`)
    .sort();
const all = named.length > 0 ? named : testFiles();
const hasMarker = (path: string): boolean => readFileSync(path, 'utf8').startsWith('// Every browser: ');
const isWhole = named.length > 0 || args.includes('--all');

// tsx lets the runner's configuration import TypeScript.
await run('node', ['--import', 'tsx', 'node_modules/@web/test-runner/dist/bin.js', '--config', 'test/web.config.mjs'], {
  WEB_FILES: all.join(' '),
  WEB_FILES_EVERYWHERE: (isWhole ? all : all.filter(hasMarker)).join(' '),
  ...(isWhole && { WEB_TESTS_ONCE: 'everywhere' }),
}).catch((error: unknown) => {
  if (!(error instanceof CommandError)) throw error;
  // The runner has said what failed.
  console.error(error.message);
  process.exitCode = 1;
});
