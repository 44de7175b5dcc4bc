import { chmod, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './run.js';

/** Returns the time of the newest change under a folder, ms since 1970; 0 if the folder is missing. */
async function newest(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const times = await Promise.all(
    entries.filter((e) => e.isFile()).map(async (e) => (await stat(join(e.parentPath, e.name))).mtimeMs),
  );
  return Math.max(0, ...times);
}

async function isFresh(): Promise<boolean> {
  const built = await stat('dist/types/.stamp').catch(() => undefined);
  const sources = await Promise.all([
    newest('src'),
    newest('server'),
    ...['package.json', 'vite.config.ts'].map(async (f) => (await stat(f)).mtimeMs),
  ]);
  return built !== undefined && built.mtimeMs >= Math.max(...sources);
}

/** Makes `dist`: the npm files, the files for a script tag, the web console, the type declarations. With `ifStale`, only when a source is newer. */
export async function build({ ifStale = false } = {}): Promise<void> {
  if (ifStale && (await isFresh())) return;
  await rm('dist', { recursive: true, force: true });
  // A test runner sets NODE_ENV to "test". The production build is shipped in any case.
  const env = { NODE_ENV: 'production' };
  await run('vite', ['build', '--logLevel', 'warn'], env);
  await run('vite', ['build', '--mode', 'page', '--logLevel', 'warn'], env);
  await run('vite', ['build', '--mode', 'console', '--logLevel', 'warn'], env);
  await run('tsc', ['-p', 'scripts/tsconfig.types.json']);
  // Its analyzer takes a second to load, which `npm start` saves while the build is fresh.
  const { writeManifest } = await import('./docs/manifest.js');
  await writeManifest();
  await chmod('dist/cli.js', 0o755);
  await writeFile('dist/types/.stamp', '');
}

if (process.argv[1]?.endsWith('build.ts')) await build({ ifStale: process.argv.includes('--if-stale') });
