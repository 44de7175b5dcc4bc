import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformWithOxc } from 'vite';
import { bundled } from './bundle.js';

const SITE = fileURLToPath(new URL('../site/', import.meta.url));
const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  map: 'application/json',
  // As it stands: browsers offer Markdown as a download.
  md: 'text/plain; charset=utf-8',
};

const headersOf = (ending: string) => ({
  'content-type': TYPES[ending]!,
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
});

async function scriptOf(path: string): Promise<string> {
  const file = path.replace(/\.js$/, '.ts');
  const { code } = await transformWithOxc(await readFile(file, 'utf8'), file, { sourcemap: false });
  return code;
}

/** Where an address leads: the site's own files, the guides, or the built element and what it loads when first needed. */
function fileFor(path: string, dist: string): { file: string; transform: boolean } | undefined {
  const own = /^\/site\/([\w/-]+)\.(css|js|svg)$/.exec(path);
  if (own) return { file: join(SITE, `${own[1]}.${own[2]}`), transform: own[2] === 'js' };
  const guide = /^\/docs\/((?:[\w-]+\/)*[\w-]+\.md)$/.exec(path)?.[1];
  if (guide) return { file: join(DOCS, guide), transform: false };
  if (/^\/svc-uploader(\/[\w.-]+)?\.js(\.map)?$/.test(path)) return { file: join(dist, path), transform: false };
  return undefined;
}

/** A file of the demo; undefined for every other address. Names are matched against a pattern, so none leads out of the folders. */
export async function serveAsset(path: string, dist: string): Promise<Response | undefined> {
  const script = await bundled(path);
  if (script !== undefined) return new Response(script, { headers: headersOf('js') });
  const found = fileFor(path, dist);
  if (!found) return undefined;
  try {
    const body = found.transform ? await scriptOf(found.file) : await readFile(found.file);
    return new Response(body, { headers: headersOf(found.file.slice(found.file.lastIndexOf('.') + 1)) });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
