import { builtinModules } from 'node:module';
import { defineConfig, esmExternalRequirePlugin } from 'vite';
import type { Plugin, UserConfig } from 'vite';

// Three builds. `vite build` makes the npm files: every entry of the exports map, dependencies left as imports.
// `vite build --mode page` makes the file for a <script type="module"> tag, and the folder beside it with all other files.
// `vite build --mode console` makes the web console that the service serves.

const npmEntries = {
  index: 'src/element/index.ts',
  element: 'src/element/svc-uploader.ts',
  react: 'src/element/react.ts',
  s3: 'src/bulk/index.ts',
  's3-node': 'src/bulk/node/index.ts',
  server: 'server/helper/index.ts',
  service: 'server/service/index.ts',
  cli: 'server/cli/main.ts',
  // Programs of their own, beside the files that start them.
  'chunks/resize-process': 'server/service/images/resize-process.js',
  'chunks/scrypt-program': 'server/service/identity/users/hashing/scrypt-program.js',
};

/** Packages that the npm files contain: a helper of decorators, the base of the React wrapper, and the parser of command lines. */
const BUNDLED = ['@oxc-project/', '@lit/react', 'commander'];
const isNode = (id: string) => id.startsWith('node:');
const isOwn = (id: string) => /^([./\0]|builtin:)/.test(id) || BUNDLED.some((name) => id.startsWith(name));

/**
 * Writes `new Worker(new URL('…', import.meta.url))` the way that bundlers recognize. Vite nests one URL in another. The bundler of a
 * site that uses the npm package then turns the worker into a `data:` URL, which a strict Content-Security-Policy forbids, and `verify`
 * hashes large files on the main thread.
 */
const plainWorkers: Plugin = {
  name: 'plain-workers',
  enforce: 'post',
  generateBundle(_, bundle) {
    const nested =
      /new URL\(\s*\/\* @vite-ignore \*\/\s*(new URL\("[^"]+", import\.meta\.url\))\.href,\s*"" \+ import\.meta\.url\s*\)/g;
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      chunk.code = chunk.code.replace(nested, '$1');
      if (/new Worker\(new URL\((?!"[^"]+", import\.meta\.url\))/.test(chunk.code))
        this.error(`${chunk.fileName} starts a worker in a way that bundlers do not know`);
    }
  },
};

/** Removes comments and indentation from style sheets, which a minifier of scripts keeps. */
const compactStyles: Plugin = {
  name: 'compact-styles',
  transform: (code, id) =>
    /\/src\/element\//.test(id)
      ? code.replace(/(?<=\bcss`)[^`]*/g, (css) => css.replace(/\/\*.*?\*\//gs, '').replace(/\s+/g, ' '))
      : undefined,
};

const npm: UserConfig = {
  // commander is a CommonJS package. This turns its require('node:…') into imports.
  plugins: [esmExternalRequirePlugin({ external: [/^node:/] }), plainWorkers],
  // Worker threads are modules that import Node's own.
  worker: { format: 'es', rolldownOptions: { external: isNode } },
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: false,
    minify: false,
    license: { fileName: 'licenses/npm.md' },
    // Without `lib`, Vite wraps every import() in a helper that uses `document`, which Node does not have.
    lib: { entry: npmEntries, formats: ['es'] },
    rolldownOptions: {
      // All other packages stay imports.
      external: (id: string) => builtinModules.includes(id) || (!isNode(id) && !isOwn(id)),
      preserveEntrySignatures: 'strict',
      // The warning says that "use client" of the React wrapper may be lost. The build keeps it.
      checks: { moduleLevelDirective: false },
      output: {
        format: 'es',
        entryFileNames: '[name].js',
        chunkFileNames: 'chunks/[name]-[hash].js',
      },
    },
  },
};

const page: UserConfig = {
  plugins: [compactStyles],
  // The folder beside the file contains the element and everything that loads later.
  worker: { rolldownOptions: { output: { entryFileNames: 'svc-uploader/[name]-[hash].js' } } },
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: false,
    license: { fileName: 'licenses/page.md' },
    // Without `lib`, Vite adds a helper that preloads modules.
    lib: { entry: { 'svc-uploader': 'src/element/index.ts' }, formats: ['es'] },
    rolldownOptions: {
      preserveEntrySignatures: 'strict',
      output: {
        format: 'es',
        minify: true,
        entryFileNames: '[name].js',
        chunkFileNames: 'svc-uploader/[name]-[hash].js',
        // The element is a file of its own, which the files that load later import. If they imported the entry file, a page that adds a
        // version to its address (`svc-uploader.js?v=2`) would load the element twice.
        codeSplitting: { groups: [{ name: 'element', tags: ['$initial'] }] },
      },
    },
  },
};

/** Keeps modules that only define an element. package.json names only files of `dist` as files with side effects. */
const keptModules: Plugin = {
  name: 'kept-modules',
  transform: (_code, id) => (/\/src\/(?:console|element)\//.test(id) ? { moduleSideEffects: true } : undefined),
};

// Stored files share the origin of the console, so its Content-Security-Policy trusts only scripts that its own scripts load.
const webConsole: UserConfig = {
  plugins: [keptModules],
  worker: { format: 'es', rolldownOptions: { output: { entryFileNames: 'console/[name]-[hash].js' } } },
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: false,
    license: { fileName: 'licenses/console.md' },
    // The service reads the name of the first script from it.
    manifest: 'console/manifest.json',
    // Without `lib`, Vite adds a helper that preloads modules.
    lib: { entry: 'src/console/index.ts', formats: ['es'] },
    rolldownOptions: {
      output: {
        format: 'es',
        minify: true,
        entryFileNames: 'console/[name]-[hash].js',
        chunkFileNames: 'console/[name]-[hash].js',
        // Every section uses most of these. A request for each module would delay the first page more than their size does.
        codeSplitting: {
          groups: [
            { name: 'lit', test: /\/node_modules\/(?:@lit|lit)/ },
            { name: 'components', test: /\/src\/console\/(?:api|components|styles)\// },
          ],
        },
      },
    },
  },
};

const MODES: Readonly<Record<string, UserConfig>> = { page, console: webConsole };

export default defineConfig(({ mode }) => ({
  configFile: false,
  publicDir: false,
  // Files refer to one another by relative addresses.
  base: './',
  ...(MODES[mode] ?? npm),
}));
