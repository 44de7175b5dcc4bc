import { build } from '../build.js';
import { run, runInBackground, waitForAll } from '../run.js';
import { checkCircles } from './circles.js';
import { checkDependencies } from './dependencies.js';
import { checkDocs } from './docs.js';
import { checkExports } from './exports.js';
import { checkImports } from './imports.js';
import { checkLengths } from './lengths.js';
import { checkLock } from './lock.js';
import { checkProse } from './prose.js';
import { checkReadmeImporters } from './readme-importers.js';
import { checkReadmes } from './readmes.js';
import { checkRegExps } from './regexps.js';
import { checkSizes } from './sizes.js';

const CHECKS = [
  checkImports,
  checkCircles,
  checkLengths,
  checkLock,
  checkRegExps,
  checkDocs,
  checkReadmes,
  checkReadmeImporters,
  checkProse,
  checkDependencies,
  checkExports,
  checkSizes,
];

/** @throws Error if a rule of this repository is broken. */
async function checkOwnRules(): Promise<void> {
  const problems = (await Promise.all(CHECKS.map((check) => check()))).flat();
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) throw new Error(`${problems.length} problems`);
}

/** Runs all checks of `npm run check`. Each prints its problems with their files. */
async function main(): Promise<void> {
  await run('oxlint', ['--deny-warnings']);
  await run('oxfmt', ['--check', 'src', 'server', 'demo', 'fault-proxy', 'scripts', 'test', 'vite.config.ts']);
  await build({ ifStale: true });
  // Each of them needs one processor for most of its time.
  await waitForAll(
    run('tsc', ['-p', '.']),
    checkOwnRules(),
    runInBackground('publint', ['--strict']),
    // Packing runs `prepack`, which would delete and build `dist` again while the other checks read it.
    runInBackground('attw', ['--pack', '.', '--profile', 'esm-only', '--quiet'], { npm_config_ignore_scripts: 'true' }),
  );
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
