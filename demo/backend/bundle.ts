import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const SITE = fileURLToPath(new URL('../site/', import.meta.url));

/** Scripts that import packages. They are bundled at their first request. */
const BUNDLED = ['admin'];

const bundles = new Map<string, Promise<Map<string, string>>>();

async function buildBundle(name: string): Promise<Map<string, string>> {
  const result = await build({
    configFile: false,
    publicDir: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      target: 'es2022',
      // Library mode adds no preload helper to dynamic imports.
      lib: { entry: { [name]: `${SITE}${name}.ts` }, formats: ['es'] },
      rolldownOptions: { output: { minify: true, entryFileNames: '[name].js', chunkFileNames: `${name}/[name]-[hash].js` } },
    },
  });
  const outputs = (Array.isArray(result) ? result : [result]).flatMap((bundle) => ('output' in bundle ? bundle.output : []));
  return new Map(outputs.flatMap((file) => (file.type === 'chunk' ? [[`/site/${file.fileName}`, file.code] as const] : [])));
}

/** @returns the bundled script at an address, or undefined if the address is not part of a bundle */
export async function bundledScript(path: string): Promise<string | undefined> {
  const name = BUNDLED.find((script) => path === `/site/${script}.js` || path.startsWith(`/site/${script}/`));
  if (name === undefined) return undefined;
  const bundle = bundles.get(name) ?? buildBundle(name);
  bundles.set(name, bundle);
  // The next request repeats a failed build.
  bundle.catch(() => bundles.delete(name));
  return (await bundle).get(path);
}
