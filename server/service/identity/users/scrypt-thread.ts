import { Worker } from 'node:worker_threads';
import { toError, WorkerThreadPool } from '../../runtime/threads/worker-thread.js';
import type { WorkerFailure } from '../../runtime/threads/worker-thread.js';

/** Message to `scrypt-worker.js`. It responds to requests one after the other. */
export interface ScryptRequest {
  password: string;
  salt: Uint8Array;
  /** Scrypt's parameter N. */
  cost: number;
  r: number;
  p: number;
  /** Length of the hash. */
  bytes: number;
}

export type ScryptResponse = { hash: Uint8Array } | { failure: WorkerFailure };

const pool = new WorkerThreadPool<ScryptRequest, ScryptResponse>(
  // Bundlers recognize exactly this form and copy the file.
  () => new Worker(new URL('./scrypt-worker.js', import.meta.url), { execArgv: [] }),
);

/**
 * Computes scrypt in a thread of low priority. In the threads of `crypto.scrypt`, hashes would delay the file operations of uploads, which use
 * the same threads.
 */
export async function scryptInThread(request: ScryptRequest): Promise<Uint8Array> {
  const thread = pool.leastBusy();
  thread.users += 1;
  try {
    const response = await thread.request(request);
    if ('failure' in response) throw toError(response.failure);
    return response.hash;
  } finally {
    thread.users -= 1;
  }
}
