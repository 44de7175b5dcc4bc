import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { build } from 'vite';
import { vi } from 'vitest';
import { createTokenMinter, createTokenRoute } from '../../server/helper/index.js';
import type { Product } from './product.js';

const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

/** Builds a project with vite against the built package. @returns the folder to serve */
export async function buildProject(root: string, outDir: string): Promise<string> {
  // A project of plain HTML needs no build.
  if (!existsSync(join(root, 'main.ts')) && !existsSync(join(root, 'main.tsx'))) return root;
  // Vitest sets NODE_ENV to "test", which would make vite build for development.
  vi.stubEnv('NODE_ENV', 'production');
  const configFile = ['vite.config.ts', 'vite.config.js'].map((name) => join(root, name)).find((path) => existsSync(path));
  await build({
    root,
    configFile: configFile ?? false,
    mode: 'production',
    logLevel: 'error',
    resolve: {
      alias: [
        { find: /^svc-uploader$/, replacement: resolve('dist/index.js') },
        { find: /^svc-uploader\/react$/, replacement: resolve('dist/react.js') },
      ],
      conditions: ['browser', 'module', 'import', 'default'],
    },
    build: { outDir, emptyOutDir: true, target: 'es2022' },
  });
  vi.unstubAllEnvs();
  return outDir;
}

/** Serves a built project with a token route. */
export async function serveProject(
  product: Pick<Product, 'apiKey' | 'service'>,
  root: string,
): Promise<{ url: string; [Symbol.dispose](): void }> {
  const route = createTokenRoute(createTokenMinter({ apiKey: product.apiKey, url: product.service }), {
    authorize: () => ({ prefix: 'examples' }),
  });
  const app = new Hono()
    .post('/upload-token', (c) => route(c.req.raw))
    .get('/favicon.ico', (c) => c.body(null, 204))
    .get('/*', async (c) => {
      const path = c.req.path === '/' ? '/index.html' : c.req.path;
      const own = join(root, path);
      const file = existsSync(own) ? own : resolve('dist', path.slice(1));
      return new Response(await readFile(file), {
        headers: { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' },
      });
    });
  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }) as Server;
  if (!server.listening) await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Compiles files with strict settings. @param types packages whose global types they need @returns the errors, or '' */
export async function findTypeErrors(files: readonly { file: string; text: string }[], types: string[] = []): Promise<string> {
  // The folder is inside the package, so that imports of its name find the built files.
  const place = await mkdtemp(resolve('dist/project-'));
  try {
    const compilerOptions = {
      target: 'es2022',
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['es2023', 'dom', 'dom.iterable'],
      types,
      jsx: 'react-jsx',
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      allowArbitraryExtensions: true,
      allowImportingTsExtensions: true,
      experimentalDecorators: true,
    };
    await writeFile(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts', '*.tsx'] }));
    for (const { file, text } of files) await writeFile(join(place, file), text);
    const checked = await promisify(execFile)('node_modules/.bin/tsc', ['-p', place]).catch((error: { stdout: string }) => error);
    return checked.stdout;
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}
