import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformWithOxc } from 'vite';
import { bundledScript } from './bundle.js';

const SITE = fileURLToPath(new URL('../site/', import.meta.url));
const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url));

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  map: 'application/json',
  // Browsers show plain text, but download Markdown.
  md: 'text/plain; charset=utf-8',
};

const headersFor = (extension: string) => ({
  'content-type': CONTENT_TYPES[extension]!,
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
});

async function compileScript(path: string): Promise<string> {
  const file = path.replace(/\.js$/, '.ts');
  const { code } = await transformWithOxc(await readFile(file, 'utf8'), file, { sourcemap: false });
  return code;
}

/** Finds the file for an address. Each pattern admits plain names only, so no address leads out of its folder. */
function fileFor(path: string, dist: string): { file: string; isScript: boolean } | undefined {
  const siteFile = /^\/site\/([\w/-]+)\.(css|js|svg)$/.exec(path);
  if (siteFile) return { file: join(SITE, `${siteFile[1]}.${siteFile[2]}`), isScript: siteFile[2] === 'js' };
  const docsPage = /^\/docs\/((?:[\w-]+\/)*[\w-]+\.md)$/.exec(path)?.[1];
  if (docsPage) return { file: join(DOCS, docsPage), isScript: false };
  if (/^\/svc-uploader(\/[\w.-]+)?\.js(\.map)?$/.test(path)) return { file: join(dist, path), isScript: false };
  return undefined;
}

/** Serves the scripts and styles of the demo, the docs, and the built element. @returns undefined for any other address */
export async function serveAsset(path: string, dist: string): Promise<Response | undefined> {
  const script = await bundledScript(path);
  if (script !== undefined) return new Response(script, { headers: headersFor('js') });
  const found = fileFor(path, dist);
  if (!found) return undefined;
  try {
    const body = found.isScript ? await compileScript(found.file) : await readFile(found.file);
    return new Response(body, { headers: headersFor(found.file.slice(found.file.lastIndexOf('.') + 1)) });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
