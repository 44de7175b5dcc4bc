// Web Test Runner over vite in middleware mode: its esbuild plugin breaks on Uppy, vite does not.
import { chromeLauncher } from '@web/test-runner-chrome';
import { createServer } from 'vite';
import { CHROMIUM_FLAGS, findChromium } from './setup/chromium.ts';

const vite = await createServer({
  configFile: false,
  appType: 'custom',
  logLevel: 'error',
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
  optimizeDeps: { include: ['lit', 'lit/decorators.js', '@uppy/core', '@uppy/xhr-upload', 'axe-core', 'chai'], entries: [] },
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

export default {
  files: process.env.WEB_FILES ?? 'test/web/**/*.test.ts',
  rootDir: process.cwd(),
  concurrency: 1,
  middleware: [middleware],
  plugins: [{ name: 'vite', serverStop: () => vite.close() }],
  testFramework: { config: { timeout: 20_000 } },
  browsers: [chromeLauncher({ launchOptions: { executablePath: await findChromium(), headless: true, args: CHROMIUM_FLAGS } })],
};
