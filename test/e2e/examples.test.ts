import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import type { Browser } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTokenMinter, createTokenRoute } from '../../server/helper/index.js';
import { inputOf, launch, watchedPage } from './browser.js';
import { sample } from './files.js';
import { startProduct } from './product.js';
import type { Product } from './product.js';

const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
let product: Product;
let browser: Browser;
let folder: string;

beforeAll(async () => {
  [product, browser, folder] = await Promise.all([startProduct(), launch(), mkdtemp(join(tmpdir(), 'svc-examples-'))]);
});
afterAll(async () => {
  await browser?.close();
  await product?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Builds an example as its own project would, against the built package. @returns the folder to serve */
async function built(name: string): Promise<string> {
  const root = resolve('demo/examples', name);
  // Plain HTML is served as it is.
  if (!existsSync(join(root, 'main.ts')) && !existsSync(join(root, 'main.tsx'))) return root;
  const outDir = join(folder, name);
  // The test runner's "test" would make vite build for development.
  vi.stubEnv('NODE_ENV', 'production');
  const configFile = join(root, 'vite.config.ts');
  await build({
    root,
    configFile: existsSync(configFile) ? configFile : false,
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

/** A site with this example and a token route, as anybody's would be. */
async function site(root: string): Promise<{ url: string; [Symbol.dispose](): void }> {
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

/** The example's own TypeScript: files as they stand, and what stands between the script tags of components. */
async function scriptsOf(name: string): Promise<{ file: string; text: string }[]> {
  const root = resolve('demo/examples', name);
  const files = (await readdir(root)).filter((file) => /\.(tsx?|vue|svelte)$/.test(file) && file !== 'vite.config.ts');
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(root, file), 'utf8');
      if (/\.tsx?$/.test(file)) return { file, text };
      const script = /<script[^>]*lang="ts"[^>]*>([^]*?)<\/script>/.exec(text)![1]!;
      // What such a file gives to those that import it.
      const component = name === 'vue' ? "import('vue').Component" : "import('svelte').Component";
      return { file: `${file}.ts`, text: `${script}\ndeclare const component: ${component};\nexport default component;\n` };
    }),
  );
}

describe('the examples', () => {
  it.each(['react', 'vue', 'svelte', 'angular'])('are sound in types, against the built package: %s', async (name) => {
    // Within the package, so that its name leads to what is built.
    const place = await mkdtemp(resolve('dist/example-'));
    try {
      const compilerOptions = {
        target: 'es2022',
        module: 'esnext',
        moduleResolution: 'bundler',
        lib: ['es2023', 'dom', 'dom.iterable'],
        types: name === 'svelte' ? ['svelte'] : [],
        jsx: 'react-jsx',
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        allowArbitraryExtensions: true,
        allowImportingTsExtensions: true,
        experimentalDecorators: true,
      };
      await writeFile(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts', '*.tsx'] }));
      for (const { file, text } of await scriptsOf(name)) {
        // A component is imported by the name of its file.
        await writeFile(join(place, file), text.replace(/(from '\.\/\w+\.(vue|svelte))'/g, "$1.ts'"));
      }
      const checked = await promisify(execFile)('node_modules/.bin/tsc', ['-p', place]).catch(
        (error: { stdout: string }) => error,
      );
      expect(checked.stdout).toBe('');
    } finally {
      await rm(place, { recursive: true, force: true });
    }
  });
});

describe.each(['html', 'react', 'vue', 'svelte', 'angular'])('the example for %s', (name) => {
  it('uploads, hears of it and sends the path with its form', async () => {
    using served = await site(await built(name));
    const { page, complaints } = await watchedPage(await browser.newContext());
    await page.goto(served.url);
    const file = await sample(folder, `${name} example.txt`, 2000);
    await inputOf(page, 'svc-uploader').setInputFiles(file.path);
    const row = page.locator('#stored li');
    await row.waitFor();
    const path = (await row.textContent())!;
    expect(await product.list(path)).toMatchObject([{ path, sha256: file.sha256 }]);
    await page.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => page.locator('#sent').textContent()).toBe(path);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
