import { defineConfig } from 'vitest/config';
import { EarlyFilesFirst } from '../support/early-files-first.js';

// The product as `npm start` starts it, in real browsers. ENGINES selects browsers.
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/e2e/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // The default of one second is shorter than a second attempt of an upload.
    expect: { poll: { timeout: 30_000 } },
    // See ../vitest.config.ts.
    retry: process.env['CI'] ? 2 : 0,
    // WebKit's driver has one session at a time. In Chromium, two tests leave a quarter of two cores idle, because many of them wait for seconds.
    maxWorkers: process.env['ENGINES'] === 'chromium' ? 3 : 1,
    sequence: { sequencer: EarlyFilesFirst },
    pool: 'forks',
    // See ../vitest.config.ts.
    experimental: { fsModuleCache: true },
    // Files share processes, which saves the import of every module for each file.
    isolate: false,
    setupFiles: ['test/support/restore-process.ts'],
    globalSetup: ['test/e2e/shared-servers.ts'],
  },
});
