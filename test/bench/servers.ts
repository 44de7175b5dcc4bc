import { execFileSync } from 'node:child_process';
import { Agent } from 'node:http';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { put } from './load.js';
import type { Put } from './load.js';
import { freePort } from '../support/ports.js';
import { startServer } from './process.js';
import { startCephS3 } from './s3-servers.js';
import { signed } from './s3-sign.js';

/** A server under measurement. */
export interface BenchServer {
  name: string;
  /** The durability that its response promises, for the table. */
  durable: 'yes' | 'no';
  target(path: string): Put;
  /** The file behind a path, for a server that responds before it flushes. */
  stored?(path: string): string;
  pids: number[];
  stop(): Promise<void>;
}

const createTempFolder = async (name: string) => {
  const folder = await mkdtemp(join(process.env['BENCH_DIR'] ?? tmpdir(), `svc-bench-${name}-`));
  await chmod(folder, 0o755);
  return folder;
};

export interface Ours extends BenchServer {
  url: string;
  s3Url: string;
  key: string;
  dataDir: string;
}

/**
 * This product's service as `svc-blob serve` starts it, on SQLite and files.
 * @param cli the command of another build @param prepare changes the data before the start
 */
export async function startOurs(cli = 'dist/cli.js', prepare?: (dataDir: string) => Promise<void>): Promise<Ours> {
  const dataDir = await createTempFolder('ours');
  const [port, s3Port] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const made = execFileSync(
    'node',
    [cli, 'keys', 'create', '--name', 'bench', '--preset', 'full', '--data-dir', dataDir, '--json'],
    {
      encoding: 'utf8',
    },
  );
  const { api_key: key } = JSON.parse(made) as { api_key: string };
  await prepare?.(dataDir);
  const args = [cli, 'serve', '--port', String(port), '--s3-port', String(s3Port), '--data-dir', dataDir];
  // Otherwise the benchmark would measure the rate limits.
  const server = await startServer('node', args, `${url}/healthz`, { RATE_LIMITS: 'off' });
  return {
    name: 'svc-uploader',
    durable: 'yes',
    url,
    s3Url: `http://127.0.0.1:${s3Port}`,
    key,
    dataDir,
    target: (path) => ({ url: `${url}/v1/files/${path}`, headers: { authorization: `Bearer ${key}` } }),
    pids: [server.pid],
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** nginx's WebDAV PUT copies a body into a file, without hash, flush or metadata. */
export async function startNginx(): Promise<BenchServer | undefined> {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  const folder = await createTempFolder('nginx');
  const port = await freePort();
  await Promise.all(['files', 'temp'].map((name) => mkdir(join(folder, name)).then(() => chmod(join(folder, name), 0o777))));
  await writeFile(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; worker_processes auto; events {}
     http { access_log off; client_max_body_size 0; client_body_temp_path ${folder}/temp; keepalive_requests 1000000;
       server { listen 127.0.0.1:${port}; root ${folder}/files; location / { dav_methods PUT; create_full_put_path on; } } }`,
  );
  const server = await startServer('nginx', ['-c', join(folder, 'nginx.conf')], `http://127.0.0.1:${port}/`);
  return {
    name: 'nginx WebDAV',
    durable: 'no',
    target: (path) => ({ url: `http://127.0.0.1:${port}/${path}` }),
    stored: (path) => join(folder, 'files', path),
    pids: [server.pid],
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Ceph's gateway over a store in memory. @returns undefined if Ceph cannot be installed */
export async function startCeph(): Promise<BenchServer | undefined> {
  const engine = await startCephS3();
  if (!engine) return undefined;
  const target = (path: string) => signed(engine, 'PUT', `/${engine.bucket}${path}`);
  const agent = new Agent();
  await put(agent, target(''), 0, Buffer.alloc(0)).finally(() => agent.destroy());
  return {
    name: 'Ceph gateway (in memory)',
    durable: 'no',
    target: (path) => target(`/${path}`),
    pids: engine.pids,
    stop: engine.stop,
  };
}
