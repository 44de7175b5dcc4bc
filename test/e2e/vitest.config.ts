import { defineConfig } from 'vitest/config';

// What a person sees: the product as `npm start` starts it, in a real browser. One file after the other: each starts it anew.
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/e2e/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // A second, the default, is less than a repeated try takes.
    expect: { poll: { timeout: 30_000 } },
    // As in ../vitest.config.ts.
    retry: process.env['CI'] ? 1 : 0,
    // As in ../vitest.config.ts.
    env: { DRAIN_SECONDS: '0' },
    fileParallelism: false,
    pool: 'forks',
  },
});
