import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/ports.js';
import type { Put } from './load.js';
import { startServer } from './process.js';
import type { BenchServer } from './servers.js';

const RESUMABLE = { 'tus-resumable': '1.0.0' };

/** Creates a tus upload and sends its bytes in one further request. */
export async function tusUpload(endpoint: string, size: number, headers: Record<string, string> = {}): Promise<Put> {
  const name = Buffer.from(`${randomUUID()}.bin`).toString('base64');
  const made = await fetch(endpoint, {
    method: 'POST',
    headers: { ...RESUMABLE, ...headers, 'upload-length': String(size), 'upload-metadata': `filename ${name}` },
  });
  const location = made.headers.get('location');
  if (made.status !== 201 || !location) throw new Error(`${endpoint}: ${made.status} ${await made.text()}`);
  return {
    url: new URL(location, endpoint).href,
    method: 'PATCH',
    headers: { ...RESUMABLE, ...headers, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
  };
}

const SERVER = `
import { Server } from '@tus/server';
import { FileStore } from '@tus/file-store';
const [port, directory] = process.argv.slice(2);
new Server({ path: '/files', datastore: new FileStore({ directory }) }).listen({ host: '127.0.0.1', port: Number(port) });
`;

export interface TusServer extends Omit<BenchServer, 'target'> {
  upload(size: number): Promise<Put>;
}

/** @tus/server over its file store, without hash or flush. @returns undefined if it cannot be installed */
export async function startTusServer(): Promise<TusServer | undefined> {
  const folder = await mkdtemp(join(process.env['BENCH_DIR'] ?? tmpdir(), 'svc-bench-tus-'));
  try {
    const packages = ['@tus/server@2', '@tus/file-store@2'];
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, ...packages], {
      stdio: 'ignore',
      timeout: 180_000,
    });
  } catch {
    await rm(folder, { recursive: true, force: true });
    return undefined;
  }
  const port = await freePort();
  const files = join(folder, 'files');
  await mkdir(files);
  await writeFile(join(folder, 'server.mjs'), SERVER);
  const origin = `http://127.0.0.1:${port}`;
  const server = await startServer('node', [join(folder, 'server.mjs'), String(port), files], origin);
  return {
    name: '@tus/server, file store',
    durable: 'no',
    upload: (size) => tusUpload(`${origin}/files`, size),
    pids: [server.pid],
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
