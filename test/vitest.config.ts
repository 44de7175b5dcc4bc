import { readdirSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { EarlyFilesFirst } from './support/early-files-first.js';
import { hasMark } from './support/file-marks.js';

const OTHER_RUNNERS = ['test/web/**', 'test/e2e/**', '**/node_modules/**'];
const MATRIX = 'test/matrix/**/*.test.ts';

/** Files that begin with `// Own process: ` and a reason. All others share processes, which saves the import of every module for each file. */
const OWN_PROCESS = readdirSync(new URL('.', import.meta.url), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts') && hasMark(new URL(path, import.meta.url), 'Own process'))
  .map((path) => `test/${path}`);

/** Names a test file, or several by a final `*`. @throws Error in CI if there is none, so that a renamed file cannot drop out of a list */
function testFile(folder: string, name: string): string {
  const stem = name.replace(/\*$/, '');
  const matches = readdirSync(new URL(folder, import.meta.url)).filter((file) =>
    name.endsWith('*') ? file.startsWith(stem) && file.endsWith('.test.ts') : file === `${name}.test.ts`,
  );
  const problem = `test/vitest.config.ts names ${folder}/${name}.test.ts, which does not exist.`;
  if (matches.length === 0 && process.env['CI']) throw new Error(problem);
  if (matches.length === 0) console.warn(problem);
  return `test/${folder}/${name}.test.ts`;
}

const service = (name: string): string => testFile('service', name);
const endpoint = (name: string): string => testFile('s3-endpoint', name);
const bulk = (name: string): string => testFile('bulk', name);

/** Clients of others whose tests take longest and rarely fail. `npm test` runs the other clients. */
const SLOW_CLIENTS = ['awscli', 'restic'].map((name) => testFile('conformance', name));

const SERVICE = ['test/service/**/*.test.ts'];

/** Tests that kill processes at random moments, most of them as often as KILLS says. `npm run test:matrix` runs them. */
const KILL_FILES = [service('kill'), service('kill-webhooks'), bulk('killed-commands')];

/** Tests of the service that do not depend on TEST_BACKEND: they need no storage, or bring their own. */
const INDEPENDENT_OF_BACKEND = [
  'bytes-*',
  'damaged',
  'data-directory',
  'disk-full',
  'failed-flush',
  'frame-extractor',
  'ip-addresses',
  'kill*',
  'limit-windows',
  'metadata*',
  'nginx',
  'part-memory',
  'piece-size',
  'scanning-clamd',
  'shared-clock',
  'size-limit',
  'start',
  'store-*',
  'time',
  'passwords',
  'upgrade',
]
  .map(service)
  .concat(testFile('service/oauth-clients', '*'));

/**
 * Tests of which a case needs one service on PostgreSQL with files on a disk. The project `replicas` runs the suite of the service on PostgreSQL,
 * so this combination need not repeat it.
 */
const ONE_SERVICE_ON_POSTGRES = ['access-control', 'files', 'jobs-killed', 'scrub', 'sweep', 'tus'].map(service);

/** Tests that are about PostgreSQL, in part or in whole. */
const ABOUT_POSTGRES = ['clock-skew', 'database-gone', 'database-unavailable', 'token-expiry-and-revocation'].map(service);

/** Tests of the S3 endpoint whose result the database decides: keys, parts, the order of listings, credentials. */
const ENDPOINT_ON_DATABASE = ['objects', 'multipart', 'listings', 'credentials-matrix'].map(endpoint);

/**
 * Tests of the bulk engine whose result the store decides. This product's endpoint keeps checksums where Ceph 16 keeps none. Tests of the
 * command's flags and output, of lists, proxies and faults in between run on one store only.
 */
const BULK_ON_STORE = [
  'browser-upload',
  'command',
  'copy',
  'copy-between-buckets',
  'delete',
  'download',
  'killed-commands',
  'large-parts',
  'object-properties',
  'objects-without-checksum',
  'resume',
  'sdk-client-parity',
  'sync-down',
  'sync-up',
  'unexpected-responses',
  'upload',
  'upload-checksums',
  'upload-session',
  'upload-streams',
].map(bulk);

// Tests that run in Node. `npm test` runs the projects `node`, `node-own-process` and `database`, `npm run test:matrix` the others.
// test/web.config.mjs configures the tests that run in a page, test/e2e/vitest.config.ts those of the whole product.
export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    exclude: OTHER_RUNNERS,
    // These bounds only end tests that hang. A busy machine takes ten times as long as an idle one.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
    // DRAIN_SECONDS: no load balancer has to notice that a test stops its service.
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true', DRAIN_SECONDS: '0' },
    // CI has two cores, which two workers and the tests in pages keep busy. TEST_WORKERS=1 leaves a core to other commands.
    maxWorkers: Number(process.env['TEST_WORKERS'] ?? 2),
    sequence: { sequencer: EarlyFilesFirst },
    pool: 'forks',
    // A process that runs many files keeps many objects, and with the heap that V8 chooses for a short script it collects garbage far too often.
    execArgv: ['--min-semi-space-size=16', '--max-semi-space-size=64', '--initial-old-space-size=512'],
    // Keeps compiled modules in node_modules. Projects share them, and a later run starts in half of the time.
    experimental: { fsModuleCache: true },
    // CI reports a test that passes on a later attempt and fails one that does not.
    retry: process.env['CI'] ? 2 : 0,
    globalSetup: ['test/support/shared-servers.ts'],
    setupFiles: ['test/support/restore-process.ts'],
    projects: [
      // Every test once, on SQLite and files.
      {
        extends: true,
        test: {
          name: 'node',
          include: ['test/**/*.test.ts'],
          exclude: [...OTHER_RUNNERS, MATRIX, ...SLOW_CLIENTS, ...KILL_FILES, ...OWN_PROCESS],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'node-own-process', include: OWN_PROCESS } },
      {
        extends: true,
        test: { name: 'database', include: ABOUT_POSTGRES, isolate: false, env: { TEST_BACKEND: 'postgres' } },
      },
      // One service on PostgreSQL, and the whole suite of the service on two replicas that share PostgreSQL and an S3 engine.
      {
        extends: true,
        test: {
          name: 'postgres',
          isolate: false,
          include: [...ONE_SERVICE_ON_POSTGRES, ...ENDPOINT_ON_DATABASE],
          env: { TEST_BACKEND: 'postgres' },
        },
      },
      {
        extends: true,
        test: {
          name: 'replicas',
          isolate: false,
          include: SERVICE,
          exclude: [...OTHER_RUNNERS, ...INDEPENDENT_OF_BACKEND, ...OWN_PROCESS],
          env: { TEST_BACKEND: 'replicas' },
        },
      },
      // Tests of their own process that depend on the backend.
      { extends: true, test: { name: 'replicas-own-process', include: [service('plans')], env: { TEST_BACKEND: 'replicas' } } },
      // The bulk engine against this product's S3 endpoint instead of Ceph's gateway.
      { extends: true, test: { name: 'own-endpoint', include: BULK_ON_STORE, isolate: false, env: { TEST_S3_ENGINE: 'own' } } },
      { extends: true, test: { name: 'clients', include: SLOW_CLIENTS, isolate: false } },
      { extends: true, test: { name: 'kills', include: KILL_FILES, isolate: false } },
      // Failures that hang instead of break. Each file has its own processes, database and bucket.
      {
        extends: true,
        test: {
          name: 'matrix',
          include: [MATRIX],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect: { poll: { timeout: 60_000 } },
          env: { TEST_BACKEND: 'replicas' },
        },
      },
    ],
  },
});
