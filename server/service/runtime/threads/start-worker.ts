import { Worker } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';

/** All that a worker's function may use. */
export interface Tools {
  port: MessagePort;
  crypto: typeof import('node:crypto');
  fs: typeof import('node:fs');
}

/** What a failure is on its way out of a worker. */
export interface Failure {
  code: string | undefined;
  message: string;
}

// `__name`: what esbuild wraps functions in, to keep their names.
const PRELUDE = `const __name = (one) => one;
const tools = { port: require('node:worker_threads').parentPort, crypto: require('node:crypto'), fs: require('node:fs') };`;

/**
 * Runs a function as a worker thread. It travels as text, so that it needs no file beside whatever the service was bundled into, and may
 * therefore use its argument alone. An idle worker keeps no process alive.
 */
export function startWorker(work: (tools: Tools) => void): Worker {
  const worker = new Worker(`${PRELUDE}(${work.toString()})(tools);`, { eval: true, execArgv: [] });
  // Whoever waits for an answer hears of its end.
  worker.on('error', () => {});
  worker.unref();
  return worker;
}

/** A worker's failure as the error it was. */
export const errorOf = ({ code, message }: Failure): Error => Object.assign(new Error(message), code !== undefined && { code });
