import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The command's own file. */
export const MAIN = fileURLToPath(new URL('../../server/cli/main.ts', import.meta.url));

export interface Outcome {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** The command as a process of its own, run from its sources. */
export function start(args: string[], env: Record<string, string> = {}, input: 'ignore' | 'pipe' = 'ignore') {
  return spawn(process.execPath, ['--import', 'tsx', MAIN, ...args], {
    stdio: [input, 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], DRAIN_SECONDS: '0', ...env },
  }) as ChildProcessWithoutNullStreams;
}

export function svcBlob(args: string[], env: Record<string, string> = {}): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = start(args, env);
    const outcome: Outcome = { status: null, stdout: '', stderr: '' };
    child.stdout.on('data', (text) => (outcome.stdout += text));
    child.stderr.on('data', (text) => (outcome.stderr += text));
    child.once('error', reject);
    child.once('close', (status) => resolve({ ...outcome, status }));
  });
}
