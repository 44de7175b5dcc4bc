import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const SITE = fileURLToPath(new URL('../site/', import.meta.url));

/** Scripts that need more than their own folder, such as the bulk engine with its SDK: bundled when first asked for. */
const BUNDLED = ['admin'];

const bundles = new Map<string, Promise<Map<string, string>>>();

async function make(name: string): Promise<Map<string, string>> {
  const result = await build({
    configFile: false,
    publicDir: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      target: 'es2022',
      // As a library, so that what is loaded later comes without vite's preload helper.
      lib: { entry: { [name]: `${SITE}${name}.ts` }, formats: ['es'] },
      rolldownOptions: { output: { minify: true, entryFileNames: '[name].js', chunkFileNames: `${name}/[name]-[hash].js` } },
    },
  });
  const outputs = (Array.isArray(result) ? result : [result]).flatMap((one) => ('output' in one ? one.output : []));
  return new Map(outputs.flatMap((one) => (one.type === 'chunk' ? [[`/site/${one.fileName}`, one.code] as const] : [])));
}

/** The script at an address, or undefined where none of these is meant. */
export async function bundled(path: string): Promise<string | undefined> {
  const name = BUNDLED.find((one) => path === `/site/${one}.js` || path.startsWith(`/site/${one}/`));
  if (name === undefined) return undefined;
  const bundle = bundles.get(name) ?? make(name);
  bundles.set(name, bundle);
  // One that broke is made anew.
  bundle.catch(() => bundles.delete(name));
  return (await bundle).get(path);
}
