import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileRecord } from '../../src/protocol/types.js';
import { freePorts } from '../support/ports.js';

/** The processes of `npm start`, on free ports and a data directory of their own. */
export interface Product {
  demo: string;
  service: string;
  apiKey: string;
  dataDir: string;
  ports: number[];
  /** Lists the files below a prefix. */
  listFiles(prefix: string): Promise<FileRecord[]>;
  /** Downloads a stored file. */
  readContent(id: string): Promise<Response>;
  /** Stops all processes with SIGTERM. @returns the exit status */
  stop(): Promise<number | null>;
}

export interface ProductOptions {
  /** A data directory that stays at the end. @default a new one that is removed */
  dataDir?: string;
  ports?: number[];
}

/** Runs `npm start` and waits until it is ready. @throws Error with its output if it ends */
export async function startProduct(options: ProductOptions = {}): Promise<Product> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'svc-e2e-')));
  const [port, s3Port, demoPort] = options.ports ?? (await freePorts(3));
  const env = { ...process.env, PORT: `${port}`, S3_PORT: `${s3Port}`, DEMO_PORT: `${demoPort}`, DATA_DIR: dataDir };
  const child = spawn(process.execPath, ['--import', 'tsx', 'scripts/start.ts'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exit = once(child, 'exit') as Promise<[number | null]>;
  let output = '';
  const record = (chunk: Buffer) => (output += chunk.toString());
  child.stdout.on('data', record);
  child.stderr.on('data', record);
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', () => output.includes('Ctrl+C') && resolve());
    void exit.then(([code]) => reject(new Error(`npm start ended with ${code}:\n${output}`)));
  });
  const apiKey = (await readFile(join(dataDir, 'demo-key'), 'utf8')).trim();
  if (!output.includes(apiKey)) throw new Error(`npm start did not print its key:\n${output}`);
  const service = `http://localhost:${port}`;
  const ask = (path: string) => fetch(`${service}${path}`, { headers: { authorization: `Bearer ${apiKey}` } });
  return {
    demo: `http://localhost:${demoPort}`,
    service,
    apiKey,
    dataDir,
    ports: [port!, s3Port!, demoPort!],
    async listFiles(prefix) {
      const response = await ask(`/v1/files?limit=1000&prefix=${encodeURIComponent(prefix)}`);
      return ((await response.json()) as { response: { files: FileRecord[] } }).response.files;
    },
    readContent: (id) => ask(`/v1/files/${id}/content`),
    async stop() {
      child.kill('SIGTERM');
      const [code] = await exit;
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
      return code;
    },
  };
}
