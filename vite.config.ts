import { builtinModules } from 'node:module';
import { defineConfig, esmExternalRequirePlugin } from 'vite';
import type { Plugin, UserConfig } from 'vite';
import { slim, smallTemplates } from './scripts/slim.js';

// Two builds. `vite build` makes the npm files: every entry of the exports map, dependencies left as imports.
// `vite build --mode page` makes the one self-contained file for a <script type="module"> tag.

const npmEntries = {
  index: 'src/element/index.ts',
  element: 'src/element/svc-uploader.ts',
  react: 'src/element/react.ts',
  s3: 'src/bulk/index.ts',
  's3-node': 'src/bulk/node/index.ts',
  server: 'server/helper/index.ts',
  service: 'server/service/index.ts',
  cli: 'server/cli/main.ts',
};

/** Installed, and yet part of what is built: the decorators' helper, the few lines under the React wrapper, and what reads a command line. */
const BUNDLED = ['@oxc-project/', '@lit/react', 'commander'];
const isNode = (id: string) => id.startsWith('node:');
const isOwn = (id: string) => /^([./\0]|builtin:)/.test(id) || BUNDLED.some((name) => id.startsWith(name));

/**
 * Leaves `new Worker(new URL('…', import.meta.url))` as bundlers know it. vite writes an address within an address, which a site's own
 * bundler takes for a small asset and makes a `data:` address of it: no worker under a strict Content-Security-Policy.
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

/** Leaves out the tables above a component's class: the manifest and the types are made of them, and no page need load them. */
const plainClasses: Plugin = {
  name: 'plain-classes',
  enforce: 'pre',
  transform: (code, id) => (id.endsWith('/svc-uploader.ts') ? code.replace(/^ \* @(slot|fires|css\w+) .*\n/gm, '') : undefined),
};

/** Modules of the bulk engine that are loaded on first use. */
const LATER =
  'bulk[\\\\/](?:buckets|copy|delete|download|sync|verify)[\\\\/]|transfer[\\\\/]unref-timer|commands[\\\\/](?:copy-object|get-object-tagging|delete-objects?|escape-xml|trailer|(?:create|delete)-bucket)\\.ts';

/**
 * The bulk engine in one file, which compresses better than many small ones. Modules that are loaded on first use, and modules that
 * other entries use as well, have their own.
 */
const PIECES = [
  {
    name: 'bulk',
    test: (id: string) => /[\\/]src[\\/]bulk[\\/](?!node[\\/]|index\.ts)/.test(id) && !new RegExp(LATER).test(id),
    priority: 2,
  },
  // Twenty small files take a command as long to find as to run.
  {
    name: 'program',
    test: /server.cli.((bulk.)?(groups|format)|program|report-failure)\.ts|node_modules.commander/,
    priority: 2,
  },
  { name: 'transfers', test: /server.cli.bulk/ },
  { name: 'node', test: /src.bulk.node/, priority: 1 },
  { name: 's3', test: /src.bulk.index\.ts$/, priority: 2 },
  // Loaded before the module that keeps compiled code.
  ...['home-folder'].map((name) => ({ name, test: new RegExp(`${name}\\.ts$`), priority: 3 })),
  ...['checksums', 'errors', 'sizes'].map((name) => ({
    name,
    test: new RegExp(`[\\\\/]src[\\\\/]protocol[\\\\/]${name}\\b`),
    priority: 3,
  })),
];

const npm: UserConfig = {
  // commander is CommonJS: its require('node:…') become imports.
  plugins: [esmExternalRequirePlugin({ external: [/^node:/] }), plainWorkers, plainClasses, smallTemplates()],
  // Worker threads are modules that import Node's own.
  worker: { format: 'es', rolldownOptions: { external: isNode } },
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: false,
    minify: false,
    license: { fileName: 'licenses/npm.md' },
    // As a library: otherwise vite wraps every import() in a helper that reaches for `document`, in Node too.
    lib: { entry: npmEntries, formats: ['es'] },
    rolldownOptions: {
      // Everything else that is installed stays an import.
      external: (id: string) => builtinModules.includes(id) || (!isNode(id) && !isOwn(id)),
      preserveEntrySignatures: 'strict',
      // The React wrapper's "use client" is kept; the warning says that it might not be.
      checks: { moduleLevelDirective: false },
      output: {
        format: 'es',
        entryFileNames: '[name].js',
        chunkFileNames: 'chunks/[name]-[hash].js',
        codeSplitting: { groups: PIECES },
      },
    },
  },
};

const page: UserConfig = {
  plugins: [slim(), smallTemplates()],
  // One folder beside the file holds all that is loaded later.
  worker: { rolldownOptions: { output: { entryFileNames: 'svc-uploader/[name]-[hash].js' } } },
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: false,
    license: { fileName: 'licenses/page.md' },
    // As a library, so that what is loaded later comes without vite's preload helper.
    lib: { entry: { 'svc-uploader': 'src/element/index.ts' }, formats: ['es'] },
    rolldownOptions: {
      // What later parts share with the file stays in it: one request until they are needed.
      preserveEntrySignatures: 'allow-extension',
      output: { format: 'es', minify: true, entryFileNames: '[name].js', chunkFileNames: 'svc-uploader/[name]-[hash].js' },
    },
  },
};

const MODES: Readonly<Record<string, UserConfig>> = { page };

export default defineConfig(({ mode }) => ({
  configFile: false,
  publicDir: false,
  // What a file refers to lies beside it, wherever that is.
  base: './',
  ...(MODES[mode] ?? npm),
}));
