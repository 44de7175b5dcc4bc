import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { S3Engine } from './s3-engine.js';

const SCRIPT = fileURLToPath(new URL('own-s3-process.ts', import.meta.url));

/** Starts this product's S3 endpoint as a process of its own, on SQLite and files in a temporary folder. */
export async function startOwnEngine(): Promise<S3Engine> {
  const child = spawn(process.execPath, ['--import', 'tsx', SCRIPT], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const firstLine = once(child.stdout, 'data') as Promise<[Buffer]>;
  const output = await Promise.race([firstLine, exited.then(() => undefined)]);
  if (output === undefined) throw new Error('The S3 endpoint ended before it listened.');
  const details = JSON.parse(output[0].toString()) as Pick<S3Engine, 'endpoint' | 'accessKeyId' | 'secretAccessKey'>;
  return {
    ...details,
    region: 'us-east-1',
    isOwn: true,
    pids: [child.pid!],
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
}
