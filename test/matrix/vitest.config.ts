import { defineConfig } from 'vitest/config';

// Tests that take minutes: real processes on one PostgreSQL and one S3 engine, under failures that hang instead of break.
export default defineConfig({
  test: {
    name: 'matrix',
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/matrix/**/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true', TEST_BACKEND: 'replicas', DRAIN_SECONDS: '0' },
    // One file at a time: what another file does to the machine must not decide whether a process counts as hanging.
    fileParallelism: false,
    pool: 'forks',
    globalSetup: ['test/support/stores.ts'],
  },
});
