import { build } from '../build.js';
import { run } from '../run.js';
import { checkCircles } from './circles.js';
import { checkDependencies } from './dependencies.js';
import { checkDocs } from './docs.js';
import { checkExports } from './exports.js';
import { checkImports } from './imports.js';
import { checkLengths } from './lengths.js';
import { checkLock } from './lock.js';
import { checkProse } from './prose.js';
import { checkReadmes } from './readmes.js';
import { checkRegExps } from './regexps.js';
import { checkSizes } from './sizes.js';

/** Runs all checks of `npm run check`. Each prints its problems with their files. */
async function main(): Promise<void> {
  await run('tsc', ['-p', '.']);
  await run('oxlint', ['--deny-warnings']);
  await run('oxfmt', ['--check', 'src', 'server', 'demo', 'fault-proxy', 'scripts', 'test', 'vite.config.ts']);
  await build({ ifStale: true });
  const checks = [
    checkImports,
    checkCircles,
    checkLengths,
    checkLock,
    checkRegExps,
    checkDocs,
    checkReadmes,
    checkProse,
    checkDependencies,
    checkExports,
    checkSizes,
  ];
  const problems = (await Promise.all(checks.map((check) => check()))).flat();
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) throw new Error(`${problems.length} problems`);
  await run('publint', ['--strict']);
  await run('attw', ['--pack', '.', '--profile', 'esm-only', '--quiet']);
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
