import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { afterFile } from './file-cleanup.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Compiles a TypeScript program of the tests with its imports from this repository to one file, which is deleted after the test file.
 * A process starts in a third of the time that a loader of TypeScript takes. Packages stay imports, so the file lies in `node_modules`.
 *
 * @param script must start no worker thread, whose file would be missing
 * @returns the path of the compiled file
 */
export async function compileScript(script: URL): Promise<string> {
  const cache = join(ROOT, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const outDir = mkdtempSync(join(cache, 'test-script-'));
  afterFile(() => rmSync(outDir, { recursive: true, force: true }));
  const ssr = fileURLToPath(script);
  await build({ configFile: false, root: ROOT, logLevel: 'error', build: { ssr, outDir, target: 'node20', minify: false } });
  return join(outDir, basename(ssr).replace(/\.ts$/, '.js'));
}
