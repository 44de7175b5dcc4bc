import { defineConfig } from 'vitest/config';

// Everything that runs in Node: protocol, helper, service, commands, bulk engine. What runs in a page is tested by web.config.ts.
export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    exclude: ['test/web/**', 'test/e2e/**', '**/node_modules/**'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Two cores: more workers only make timers jitter.
    maxWorkers: 2,
    pool: 'forks',
  },
});
