import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { delimiter, join } from 'node:path';
import { childEnvironment } from '../../runtime/child-environment.js';

/** Limits of one run. */
export interface RunLimits {
  milliseconds: number;
  /** Address space, bytes. Applies where prlimit(1) exists. */
  memory: number;
  /** Bytes of stdout. */
  output: number;
}

export interface RunOptions extends RunLimits {
  /** The working directory, and the only place for temporary files. */
  folder: string;
  signal: AbortSignal;
}

export interface RunResult {
  /** The exit code; null if a signal ended the program. */
  code: number | null;
  /** The signal that ended the program. */
  signal: NodeJS.Signals | null;
  stdout: Buffer;
  /** The start of stderr. */
  stderr: string;
  /** The limit that ended the program. */
  exceeded: 'time' | 'output' | undefined;
}

/** Bytes of stderr that are kept. */
const MAX_STDERR = 16 * 1024;
/** Files that the program may have open. */
const MAX_FILES = 64;

/**
 * Runs a program without a shell, without credentials in its environment, with the lowest priority and within limits. Kills it, and the
 * programs that it has started, if it exceeds them or the signal aborts.
 * @throws Error if the program cannot be started, or the reason of the signal.
 */
export async function runProgram(command: string, parameters: readonly string[], options: RunOptions): Promise<RunResult> {
  const { folder, signal, milliseconds, output } = options;
  signal.throwIfAborted();
  const [file, ...rest] = [...limitingCommand(options), command, ...parameters];
  const child = spawn(file!, rest, {
    cwd: folder,
    env: { ...childEnvironment(), HOME: folder, TMPDIR: folder, LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group. The command may be a script that waits for the program.
    detached: true,
  });
  const result: RunResult = { code: null, signal: null, stdout: Buffer.alloc(0), stderr: '', exceeded: undefined };
  const chunks: Buffer[] = [];
  let bytes = 0;
  const kill = (exceeded?: RunResult['exceeded']) => {
    result.exceeded ??= exceeded;
    killGroup(child);
    // A process that has left the group may hold the pipes open.
    child.stdout.destroy();
    child.stderr.destroy();
  };
  const onAbort = () => kill();
  const timer = setTimeout(() => kill('time'), milliseconds);
  signal.addEventListener('abort', onAbort, { once: true });
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes > output) kill('output');
    else chunks.push(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    if (result.stderr.length < MAX_STDERR) result.stderr += chunk.toString('latin1');
  });
  lowerPriority(child.pid);
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject).once('close', (code, endedBy) => {
        Object.assign(result, { code, signal: endedBy });
        resolve();
      });
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
  signal.throwIfAborted();
  result.stdout = Buffer.concat(chunks);
  return result;
}

/** Finds prlimit(1) of util-linux. Other systems have no such program, so only time and output are limited there. */
const prlimit = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter(Boolean)
  .map((folder) => join(folder, 'prlimit'))
  .find((path) => process.platform === 'linux' && existsSync(path));

/**
 * The program replaces prlimit in the same process. The limit of CPU time ends the program of a service that was killed. It is higher than the
 * limit of time, because programs with several threads use more CPU time.
 */
function limitingCommand({ memory, milliseconds, output }: RunLimits): string[] {
  if (prlimit === undefined) return [];
  const limits = { as: memory, cpu: Math.ceil((2 * milliseconds) / 1000), fsize: output, nofile: MAX_FILES, core: 0 };
  return [prlimit, ...Object.entries(limits).map(([name, value]) => `--${name}=${value}`), '--'];
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has ended.
  }
}

function lowerPriority(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // The process has ended, or the system refuses.
  }
  // Under memory pressure, the kernel ends this process first. Only Linux has the file.
  void writeFile(`/proc/${pid}/oom_score_adj`, '1000').catch(() => {});
}
