import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileRecord } from '../../src/protocol/types.js';
import { freePorts } from '../support/ports.js';
import { sharedServer } from '../support/shared-server.js';

/** Where the processes of `npm start` listen, and their key. */
interface ProductDetails {
  demo: string;
  service: string;
  apiKey: string;
  dataDir: string;
  ports: number[];
}

/** The processes of `npm start`, on free ports and a data directory of their own. */
export interface Product extends ProductDetails {
  /** Lists the files below a prefix. */
  listFiles(prefix: string): Promise<FileRecord[]>;
  /** Downloads a stored file. */
  readContent(id: string): Promise<Response>;
}

export interface OwnProduct extends Product {
  /** Stops all processes with SIGTERM. @returns the exit status */
  stop(): Promise<number | null>;
}

export interface ProductOptions {
  /** A data directory that stays at the end. @default a new one that is removed */
  dataDir?: string;
  ports?: number[];
}

/** Returns the product that test files share, which starts when the first file asks for it. */
export async function useProduct(): Promise<Product> {
  const details = await sharedServer<ProductDetails>('product');
  if (!details) throw new Error('Only a run of vitest with test/e2e/vitest.config.ts shares a product.');
  return describeProduct(details);
}

/** Runs `npm start` and waits until it is ready. @throws Error with its output if it ends */
export async function startProduct(options: ProductOptions = {}): Promise<OwnProduct> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'svc-e2e-')));
  const [port, s3Port, demoPort] = options.ports ?? (await freePorts(3));
  // DRAIN_SECONDS: no load balancer has to notice that a test stops the service.
  const env = {
    DRAIN_SECONDS: '0',
    ...process.env,
    PORT: `${port}`,
    S3_PORT: `${s3Port}`,
    DEMO_PORT: `${demoPort}`,
    DATA_DIR: dataDir,
  };
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
  return {
    ...describeProduct({
      demo: `http://localhost:${demoPort}`,
      service: `http://localhost:${port}`,
      apiKey,
      dataDir,
      ports: [port!, s3Port!, demoPort!],
    }),
    async stop() {
      child.kill('SIGTERM');
      const [code] = await exit;
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
      return code;
    },
  };
}

function describeProduct(details: ProductDetails): Product {
  const { service, apiKey } = details;
  const ask = (path: string) => fetch(`${service}${path}`, { headers: { authorization: `Bearer ${apiKey}` } });
  return {
    ...details,
    async listFiles(prefix) {
      const response = await ask(`/v1/files?limit=1000&prefix=${encodeURIComponent(prefix)}`);
      return ((await response.json()) as { response: { files: FileRecord[] } }).response.files;
    },
    readContent: (id) => ask(`/v1/files/${id}/content`),
  };
}
