// Web Test Runner over vite in middleware mode: its esbuild plugin breaks on Uppy, vite does not.
import { readFile } from 'node:fs/promises';
import { chromeLauncher } from '@web/test-runner-chrome';
import { puppeteerLauncher } from '@web/test-runner-puppeteer';
import { webdriverLauncher } from '@web/test-runner-webdriver';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { createServer } from 'vite';
import { CHROMIUM_FLAGS, findChromium } from './support/chromium.ts';
import { findFirefox, findWebKit, isWanted } from './support/browsers.ts';
import { closeSessions, handleSessionRequest } from './support/faulty-service.ts';
import { handleStorageDouble } from './support/storage-double.ts';
import { startWebKit } from './support/webkit.ts';

const vite = await createServer({
  configFile: false,
  appType: 'custom',
  logLevel: 'error',
  // The one component of a test that needs a compiler.
  plugins: [svelte({ configFile: false })],
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
  optimizeDeps: {
    include: [
      'lit',
      'lit/decorators.js',
      'lit/directive.js',
      'lit/directives/ref.js',
      'lit/directives/repeat.js',
      '@uppy/core',
      '@uppy/xhr-upload',
      '@lit/react',
      'react',
      'react-dom/client',
      'react-dom/server',
      'svelte',
      'svelte/transition',
      'vue',
      'axe-core',
      'chai',
    ],
    entries: [],
  },
});

/** The runner's own addresses stay its own; everything else is vite's. */
const isRunners = (path) => path === '/' || path.startsWith('/__w');
const middleware = (ctx, next) =>
  isRunners(ctx.path)
    ? next()
    : new Promise((resolve, reject) => {
        ctx.respond = false;
        ctx.res.statusCode = 200;
        ctx.res.once('close', resolve);
        vite.middlewares(ctx.req, ctx.res, (error) => {
          if (error) return reject(error);
          ctx.respond = true;
          return resolve(next());
        });
      });

/** Pages of their own, which tests put into frames. */
const pages = async (ctx, next) => {
  if (!/^\/test\/web\/[\w/-]+\.html$/.test(ctx.path)) return next();
  ctx.type = 'html';
  ctx.body = await readFile(`.${ctx.path}`, 'utf8');
};

/** A worker that stands between the pages of a test and the line; from its folder it may do so for all. */
const relayWorker = async (ctx, next) => {
  if (ctx.path !== '/test/web/queue/relay-worker.js') return next();
  ctx.type = 'js';
  ctx.set('service-worker-allowed', '/');
  ctx.body = await readFile(`.${ctx.path}`, 'utf8');
};

/** Parts of the script that a browser shall not get: `/missing?path=…` names one, `&back` gives it back. */
const missing = new Set();
const parts = (ctx, next) => {
  // Several browsers run at once, each one file after the other.
  const keyOf = (path) => `${ctx.get('user-agent')} ${path}`;
  if (ctx.path === '/missing') {
    missing['back' in ctx.query ? 'delete' : 'add'](keyOf(ctx.query.path));
    ctx.body = '';
  } else if (missing.has(keyOf(ctx.path))) {
    // As when the line is gone; an answer that says no would be remembered beyond the page.
    ctx.respond = false;
    ctx.res.destroy();
  } else return next();
};

/** Answers of a storage for tests of the face: see test/support/storage-double.ts. */
const storage = (ctx, next) => {
  if (!ctx.path.startsWith('/storage/')) return next();
  ctx.respond = false;
  return handleStorageDouble(ctx.req, ctx.res);
};

/** The real service behind a proxy that breaks what it is told to: see test/support/faulty-service.ts. */
const bench = (ctx, next) => {
  if (!/^\/lab(\/|$)/.test(ctx.path)) return next();
  ctx.respond = false;
  return handleSessionRequest(ctx.req, ctx.res);
};

const files = process.env.WEB_FILES.split(' ');
const filesEverywhere = process.env.WEB_FILES_EVERYWHERE.split(' ');

/** One group for each browser, because browsers run different files. See test/web/run.ts. */
const groups = [];
if (isWanted('chromium')) {
  const launchOptions = {
    executablePath: await findChromium(),
    headless: true,
    args: [...CHROMIUM_FLAGS, '--js-flags=--expose-gc'],
  };
  groups.push({ name: 'chromium', files, browsers: [chromeLauncher({ launchOptions })] });
}
const firefox = isWanted('firefox') ? findFirefox() : undefined;
if (firefox) {
  const launchOptions = { browser: 'firefox', executablePath: firefox, headless: true };
  groups.push({ name: 'firefox', files: filesEverywhere, browsers: [puppeteerLauncher({ launchOptions })] });
}
const miniBrowser = isWanted('webkit') ? findWebKit() : undefined;
const webkit = miniBrowser && (await startWebKit(miniBrowser));
if (webkit) {
  const capabilities = { ...webkit.capabilities, 'wdio:enforceWebDriverClassic': true };
  const options = { hostname: '127.0.0.1', port: webkit.port, path: '/', logLevel: 'error', capabilities };
  groups.push({ name: 'webkit', files: filesEverywhere, browsers: [webdriverLauncher(options)] });
}

export default {
  rootDir: process.cwd(),
  // WebKit hangs with two pages. Two browsers use two cores.
  concurrency: 1,
  concurrentBrowsers: 2,
  middleware: [parts, relayWorker, storage, pages, bench, middleware],
  plugins: [
    {
      name: 'vite',
      async serverStop() {
        webkit?.stop();
        await vite.close();
        await closeSessions();
      },
    },
  ],
  // CI reports a failure only if the second attempt fails as well.
  testFramework: { config: { timeout: 20_000, retries: process.env.CI ? 1 : 0 } },
  groups,
};
