import { defineConfig } from 'vitest/config';

const OUTSIDE = ['test/web/**', 'test/e2e/**', 'test/matrix/**', '**/node_modules/**'];
const SERVICE = ['test/service/**/*.test.ts'];
/** Need no store, bring their own, or say what holds of a service that is alone. */
const DRIVERS = [
  'test/service/addresses.test.ts',
  'test/service/data-directory.test.ts',
  'test/service/disk-full.test.ts',
  'test/service/failed-flush.test.ts',
  'test/service/start.test.ts',
  'test/service/store-*.test.ts',
  'test/service/part-memory.test.ts',
  'test/service/damaged.test.ts',
  'test/service/size-limit.test.ts',
  'test/service/bytes-*.test.ts',
  'test/service/metadata*.test.ts',
  'test/service/kill*.test.ts',
  'test/service/limit-windows.test.ts',
  'test/service/piece-size.test.ts',
  'test/service/time.test.ts',
  'test/service/nginx.test.ts',
];

/** Of the S3 endpoint, what the database decides: keys, parts, the order of listings, credentials. */
const ENDPOINT = ['objects', 'multipart', 'listings', 'credentials-matrix'].map((name) => `test/s3-endpoint/${name}.test.ts`);

// Everything that runs in Node: protocol, helper, service, commands, bulk engine. What runs in a page is tested by web.config.ts.
export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    exclude: OUTSIDE,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A second, the default, is little on a machine that does other things.
    expect: { poll: { timeout: 10_000 } },
    // No load balancer waits for a test's service to stop.
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true', DRAIN_SECONDS: '0' },
    // Two cores: more workers only make timers jitter.
    maxWorkers: 2,
    pool: 'forks',
    // In CI, where nobody looks on, what fails has to fail twice; a second try is reported.
    retry: process.env['CI'] ? 1 : 0,
    projects: [
      { extends: true, test: { name: 'node', include: ['test/**/*.test.ts'] } },
      // The service's own tests once more (and some of its S3 endpoint), on what several replicas share.
      {
        extends: true,
        test: {
          name: 'postgres',
          include: [...SERVICE, ...ENDPOINT],
          exclude: [...OUTSIDE, ...DRIVERS],
          env: { TEST_BACKEND: 'postgres' },
        },
      },
      {
        extends: true,
        test: { name: 'replicas', include: SERVICE, exclude: [...OUTSIDE, ...DRIVERS], env: { TEST_BACKEND: 'replicas' } },
      },
    ],
    globalSetup: ['test/support/stores.ts'],
  },
});
