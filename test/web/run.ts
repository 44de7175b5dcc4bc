import { readdirSync, readFileSync } from 'node:fs';
import { CommandError, run } from '../../scripts/run.js';
import { hasMark } from '../support/file-marks.js';

/**
 * Runs the tests of the element in browsers. Chromium runs all of them. Firefox and WebKit run the files whose first line begins with
 * `// Every browser:` and a reason, without their tests that are declared by `itOnce`. With `--others` (as in `npm run test:matrix`), all browsers
 * run the files with tests that Firefox and WebKit leave out otherwise. ENGINES selects browsers, arguments select files, whose tests all run.
 */
const args = process.argv.slice(2);
const named = args.filter((arg) => !arg.startsWith('--'));
const testFiles = (): string[] =>
  readdirSync('test/web', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => `test/web/${path}`)
    .sort();
const all = named.length > 0 ? named : testFiles();
const isEverywhere = (path: string): boolean => hasMark(path, 'Every browser');
const hasOthers = (path: string): boolean => !isEverywhere(path) || /\bitOnce\b/.test(readFileSync(path, 'utf8'));
const isForOthers = args.includes('--others');
const filesEverywhere = named.length > 0 ? named : all.filter(isForOthers ? hasOthers : isEverywhere);

// tsx lets the runner's configuration import TypeScript.
await run('node', ['--import', 'tsx', 'node_modules/@web/test-runner/dist/bin.js', '--config', 'test/web.config.mjs'], {
  WEB_FILES: all.join(' '),
  WEB_FILES_EVERYWHERE: filesEverywhere.join(' '),
  ...((named.length > 0 || isForOthers) && { WEB_TESTS_ONCE: 'everywhere' }),
}).catch((error: unknown) => {
  if (!(error instanceof CommandError)) throw error;
  // The runner has said what failed.
  console.error(error.message);
  process.exitCode = 1;
});
