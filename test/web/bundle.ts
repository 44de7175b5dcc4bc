import { relative } from 'node:path';
import { build } from 'vite';
import type { InlineConfig, Plugin, Rolldown } from 'vite';
import { svelte } from '@sveltejs/vite-plugin-svelte';

/** Modules that the HTML pages below `test/web` import. */
const MODULES_OF_PAGES = ['src/element/index.ts', 'src/queue/upload-queue.ts'];

/**
 * Modules that tests stop from loading, and that other tests import. As entries, they keep an address of their own. All other modules that
 * the sources import lazily have one anyway.
 */
const LAZY_MODULES = ['src/element/view/draw-thumbnail.ts', 'src/queue/verification/verify-digest.ts'];

/** The address of a module that pages import by its path, without the first slash. All other modules share files. */
const addressOf = (chunk: Rolldown.PreRenderedChunk): string =>
  chunk.isEntry || chunk.isDynamicEntry ? relative(process.cwd(), chunk.facadeModuleId!) : 'shared/[name]-[hash].js';

/** Keeps modules that only define an element. package.json names only files of `dist` as files with side effects. */
const keptModules: Plugin = {
  name: 'kept-modules',
  transform: (_code, id) => (id.includes('/src/element/') ? { moduleSideEffects: true } : undefined),
};

const configFor = (files: readonly string[]): InlineConfig => ({
  configFile: false,
  publicDir: false,
  base: './',
  mode: 'development',
  // Warnings concern files that are written or published.
  logLevel: 'error',
  // One test needs a compiler for its component.
  plugins: [keptModules, svelte({ configFile: false })],
  // Frameworks report mistakes of the element only in development.
  define: { 'process.env.NODE_ENV': '"development"' },
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    write: false,
    // Source maps, which failures need to name a source, are relative to it.
    outDir: '.',
    emptyOutDir: false,
    minify: false,
    sourcemap: true,
    // Without `lib`, Vite adds a helper that preloads modules.
    lib: { entry: [...files, ...MODULES_OF_PAGES, ...LAZY_MODULES], formats: ['es'] },
    rolldownOptions: {
      treeshake: false,
      output: { entryFileNames: addressOf, chunkFileNames: addressOf },
    },
  },
});

/**
 * Bundles test files with the sources that they import, so that a page loads a dozen files instead of 250 modules. Test files, and modules
 * that the sources import lazily, keep the addresses of their sources.
 *
 * @returns files by their paths, without the first slash
 */
export async function bundleTests(files: readonly string[]): Promise<Map<string, string | Uint8Array>> {
  process.env['NODE_ENV'] = 'development';
  const [{ output }] = (await build(configFor(files))) as [Rolldown.RolldownOutput];
  return new Map(output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : file.source]));
}
