// Configures Web Test Runner, which test/web/run.ts starts.
import { readFile } from 'node:fs/promises';
import { chromeLauncher } from '@web/test-runner-chrome';
import { puppeteerLauncher } from '@web/test-runner-puppeteer';
import { defaultReporter } from '@web/test-runner';
import { webdriverLauncher } from '@web/test-runner-webdriver';
import { CHROMIUM_FLAGS, findChromium } from './support/chromium.ts';
import { findFirefox, findWebKit, isWanted } from './support/browsers.ts';
import { closeSessions, handleSessionRequest } from './support/faulty-service.ts';
import { handleStorageDouble } from './support/storage-double.ts';
import { startWebKit } from './support/webkit.ts';
import { bundleTests } from './web/bundle.ts';
import { failureReporter } from './web/report-failures.ts';

const files = process.env.WEB_FILES.split(' ');
const filesEverywhere = process.env.WEB_FILES_EVERYWHERE.split(' ');
const bundle = await bundleTests(files);

/** Serves the bundled tests and sources. */
const serveBundle = (ctx, next) => {
  const path = ctx.path.slice(1);
  const content = bundle.get(path);
  if (content === undefined) return next();
  // The runner would let browsers cache all files. Tests stop some of them from loading.
  ctx.respond = false;
  const cacheControl = path.startsWith('shared/') ? 'max-age=86400, immutable' : 'no-store';
  ctx.res.writeHead(200, { 'content-type': 'text/javascript', 'cache-control': cacheControl }).end(content);
};

/** Serves pages that tests load in frames. */
const servePages = async (ctx, next) => {
  if (!/^\/test\/web\/[\w/-]+\.html$/.test(ctx.path)) return next();
  ctx.type = 'html';
  ctx.body = await readFile(`.${ctx.path}`, 'utf8');
};

/** Serves a service worker that may handle the requests of all pages. */
const serveRelayWorker = async (ctx, next) => {
  if (ctx.path !== '/test/web/queue/relay-worker.js') return next();
  ctx.type = 'js';
  ctx.set('service-worker-allowed', '/');
  ctx.body = await readFile(`.${ctx.path}`, 'utf8');
};

/** Drops requests for modules: `/missing?path=…` adds one, and `&back` removes it. */
const missing = new Set();
const dropMissing = (ctx, next) => {
  // Browsers run at the same time, and each runs one file after the other.
  const keyOf = (path) => `${ctx.get('user-agent')} ${path}`;
  if (ctx.path === '/missing') {
    missing['back' in ctx.query ? 'delete' : 'add'](keyOf(ctx.query.path));
    ctx.body = '';
  } else if (missing.has(keyOf(ctx.path))) {
    // Simulates a lost connection. A browser would remember a response with an error beyond the page.
    ctx.respond = false;
    ctx.res.destroy();
  } else return next();
};

/** Simulates Blob Storage for tests of the element, see test/support/storage-double.ts. */
const simulateStorage = (ctx, next) => {
  if (!ctx.path.startsWith('/storage/')) return next();
  ctx.respond = false;
  return handleStorageDouble(ctx.req, ctx.res);
};

/** Controls the real service behind a proxy that injects faults, see test/support/faulty-service.ts. */
const controlService = (ctx, next) => {
  if (!/^\/lab(\/|$)/.test(ctx.path)) return next();
  ctx.respond = false;
  return handleSessionRequest(ctx.req, ctx.res);
};

/** Cameras and microphones that need no permission. */
const FAKE_DEVICES = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];
const FIREFOX_FAKE_DEVICES = { 'media.navigator.streams.fake': true, 'media.navigator.permission.disabled': true };
/** Firefox would start a process in advance for each next page, which costs more here than it saves. */
const FIREFOX_STARTS_NO_SPARE_PROCESS = { 'dom.ipc.processPrelaunch.enabled': false };

/** The page of a browser that leaves out tests declared by test/web/once.ts. */
const testRunnerHtml = (framework) =>
  `<!doctype html><html data-engine-tests-only><head></head><body><script type="module" src="${framework}"></script></body></html>`;
const ofOthers = process.env.WEB_TESTS_ONCE === 'everywhere' ? {} : { testRunnerHtml };

/** One group for each browser, because browsers run different files. See test/web/run.ts. */
const groups = [];
if (isWanted('chromium')) {
  const launchOptions = {
    executablePath: await findChromium(),
    headless: true,
    // All pages share one renderer process. Starting one for each file costs more than most files.
    args: [...CHROMIUM_FLAGS, ...FAKE_DEVICES, '--js-flags=--expose-gc', '--process-per-site', '--disable-site-isolation-trials'],
  };
  groups.push({ name: 'chromium', files, browsers: [chromeLauncher({ launchOptions })] });
}
const firefox = isWanted('firefox') ? findFirefox() : undefined;
if (firefox) {
  const extraPrefsFirefox = { ...FIREFOX_FAKE_DEVICES, ...FIREFOX_STARTS_NO_SPARE_PROCESS };
  const launchOptions = { browser: 'firefox', executablePath: firefox, headless: true, extraPrefsFirefox };
  groups.push({ name: 'firefox', files: filesEverywhere, browsers: [puppeteerLauncher({ launchOptions })], ...ofOthers });
}
const miniBrowser = isWanted('webkit') ? findWebKit() : undefined;
const webkit = miniBrowser && (await startWebKit(miniBrowser));
if (webkit) {
  // The driver rarely hangs while it waits for the end of a load. The page itself reports to the runner when its tests start.
  const capabilities = { ...webkit.capabilities, pageLoadStrategy: 'none', 'wdio:enforceWebDriverClassic': true };
  const options = { hostname: '127.0.0.1', port: webkit.port, path: '/', logLevel: 'error', capabilities };
  groups.push({ name: 'webkit', files: filesEverywhere, browsers: [webdriverLauncher(options)], ...ofOthers });
}

export default {
  rootDir: process.cwd(),
  // WebKit hangs with two pages. Two browsers use two cores.
  concurrency: 1,
  concurrentBrowsers: 2,
  middleware: [dropMissing, serveRelayWorker, simulateStorage, servePages, controlService, serveBundle],
  plugins: [
    {
      name: 'servers',
      async serverStop() {
        webkit?.stop();
        await closeSessions();
      },
    },
  ],
  // CI reports a failure only if later attempts fail as well.
  // Generous, because a test that hangs is rare and a busy machine is not: one that takes 4 s alone took 20 s beside others.
  testFramework: { config: { timeout: 90_000, retries: process.env.CI ? 2 : 0 } },
  browserStartTimeout: 120_000,
  testsStartTimeout: 120_000,
  testsFinishTimeout: 600_000,
  reporters: [defaultReporter(), failureReporter],
  groups,
};
