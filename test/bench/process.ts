import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks a second in /proc/PID/stat; 100 on every Linux in use. */
const TICKS = 100;

/** Lists a process and its descendants from /proc. */
function family(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
    } catch {
      // The process has ended.
    }
  }
  const all = [pid];
  for (const one of all) all.push(...(children.get(one) ?? []));
  return all;
}

/** Sums the CPU seconds (user and system) of a process and its living descendants. */
export function cpuSeconds(pids: number[]): number {
  let ticks = 0;
  for (const pid of new Set(pids.flatMap(family))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // The process has ended.
    }
  }
  return ticks / TICKS;
}

/** Sums the peak resident memory of all processes, in MiB. */
export function peakMiB(pids: number[]): number {
  let kib = 0;
  for (const pid of new Set(pids.flatMap(family))) {
    try {
      kib += Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
    } catch {
      // The process has ended.
    }
  }
  return kib / 1024;
}

/** Waits until the kernel has written everything to disk. Otherwise one contender would slow the next. */
export const settleDisk = (): void => void execFileSync('sync');

function signal(pids: number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // The process has ended.
    }
  }
}

export interface Started {
  child: ChildProcess;
  pid: number;
  stop(): Promise<void>;
}

/** Starts a server and waits for any response at `probe`. @throws Error with its output if there is none within 20 seconds */
export async function startServer(command: string, args: string[], probe: string, env: NodeJS.ProcessEnv = {}): Promise<Started> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, DRAIN_SECONDS: '0', ...env } });
  let output = '';
  const keep = (data: Buffer) => {
    output = (output + data.toString()).slice(-4000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  for (let tries = 0; tries < 400; tries++) {
    if (child.exitCode !== null) break;
    if (await fetch(probe).catch(() => undefined)) {
      const stop = async () => {
        // npx leaves its child process running when it stops. The open pipes of the child would keep this process alive.
        const all = family(child.pid!);
        signal(all, 'SIGTERM');
        const timer = setTimeout(() => signal(all, 'SIGKILL'), 5000);
        await gone;
        clearTimeout(timer);
      };
      return { child, pid: child.pid!, stop };
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  child.kill('SIGKILL');
  throw new Error(`${command} ${args.join(' ')} did not respond at ${probe}:\n${output}`);
}
