import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { useBuild } from '../support/shared-server.js';
import { runInProcess } from './run-in-process.js';
import type { Outcome } from './run-in-process.js';

export type { Outcome };

/** The built command. A process starts in a sixth of the time that the sources take. */
export const COMMAND_PATH = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
await useBuild();

const environmentOf = (env: Record<string, string>) => ({
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  DRAIN_SECONDS: '0',
  ...env,
});

/** Starts the command as a process of its own. */
export function startCommand(args: string[], env: Record<string, string> = {}, input: 'ignore' | 'pipe' = 'ignore') {
  return spawn(process.execPath, [COMMAND_PATH, ...args], {
    stdio: [input, 'pipe', 'pipe'],
    env: environmentOf(env),
  }) as ChildProcessWithoutNullStreams;
}

/** Runs the command to its end in this process. A process of its own runs `serve`, which owns its process. */
export function runCommand(args: string[], env: Record<string, string> = {}): Promise<Outcome> {
  return args[0] === 'serve' ? runCommandProcess(args, env) : runInProcess(args, environmentOf(env));
}

/** Runs the built command as a process of its own to its end. */
export function runCommandProcess(args: string[], env: Record<string, string> = {}): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = startCommand(args, env);
    const outcome: Outcome = { status: null, stdout: '', stderr: '' };
    child.stdout.on('data', (text) => (outcome.stdout += text));
    child.stderr.on('data', (text) => (outcome.stderr += text));
    child.once('error', reject);
    child.once('close', (status) => resolve({ ...outcome, status }));
  });
}
