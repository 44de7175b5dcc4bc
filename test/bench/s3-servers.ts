import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FIRST_ACCOUNT } from '../../server/service/identity/first-account.js';
import { openCore } from '../../server/service/core.js';
import { isCephInstalled, startCeph } from '../support/ceph.js';
import { freePort } from '../support/ports.js';
import { startServer } from './process.js';
import type { S3Target } from './s3-sign.js';

/** An S3 engine under measurement. */
export interface S3Server extends S3Target {
  name: string;
  /** The durability that its response to a PUT promises, for the table. */
  durable: string;
  bucket: string;
  pids: number[];
  stop(): Promise<void>;
}

const createTempFolder = (name: string) => mkdtemp(join(process.env['BENCH_DIR'] ?? tmpdir(), `svc-bench-${name}-`));

/** This product's endpoint as `svc-blob serve` starts it, on SQLite and files. */
export async function startOurS3(): Promise<S3Server> {
  const dataDir = await createTempFolder('s3');
  const core = await openCore({ dataDir });
  const { id, secret } = await core.s3Credentials.create(FIRST_ACCOUNT, { name: 'bench' });
  await core.close();
  const [port, s3Port] = [await freePort(), await freePort()];
  const args = ['dist/cli.js', 'serve', '--port', String(port), '--s3-port', String(s3Port), '--data-dir', dataDir, '--quiet'];
  const server = await startServer('node', args, `http://127.0.0.1:${port}/healthz`, { RATE_LIMITS: 'off' });
  return {
    name: 'svc-uploader',
    durable: 'yes',
    endpoint: `http://127.0.0.1:${s3Port}`,
    region: 'us-east-1',
    accessKeyId: id,
    secretAccessKey: secret,
    bucket: FIRST_ACCOUNT,
    pids: [server.pid],
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Ceph's gateway over a store in memory, which never flushes. @returns undefined if Ceph cannot be installed */
export async function startCephS3(): Promise<S3Server | undefined> {
  if (!isCephInstalled()) return undefined;
  return { ...(await startCeph()), name: 'Ceph gateway', durable: 'no (memory)', bucket: 'bench' };
}

/** s3rver through npx. It flushes nothing and accepts every signature. @returns undefined if it cannot be installed */
export async function startS3rver(): Promise<S3Server | undefined> {
  const directory = await createTempFolder('s3rver');
  const port = await freePort();
  const pack = ['--yes', 's3rver@3.7.1'];
  try {
    execFileSync('npx', [...pack, '--version'], { stdio: 'ignore', timeout: 120_000 });
  } catch {
    return undefined;
  }
  const endpoint = `http://127.0.0.1:${port}`;
  const args = [
    ...pack,
    '--directory',
    directory,
    '--address',
    '127.0.0.1',
    '--port',
    String(port),
    '--silent',
    '--configure-bucket',
    'bench',
  ];
  const server = await startServer('npx', args, endpoint);
  return {
    name: 's3rver',
    durable: 'no',
    endpoint,
    region: 'us-east-1',
    accessKeyId: 'S3RVER',
    secretAccessKey: 'S3RVER',
    bucket: 'bench',
    pids: [server.pid],
    async stop() {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
