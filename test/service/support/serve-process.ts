import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ServeOptions {
  env?: Record<string, string>;
  /** File that the JSON lines of the log are appended to. @default no log */
  log?: string;
}

/** Runs `svc-blob serve` as a process on fixed ports, so that tests can kill it and start it again. */
export class ServeProcess {
  readonly url: string;
  readonly s3Url: string;
  readonly #options: ServeOptions;
  #child: ChildProcess | undefined;

  /** @param flags of the data, such as `--data-dir`. */
  constructor(
    private readonly flags: string[],
    private readonly ports: [rest: number, s3: number],
    options: ServeOptions = {},
  ) {
    this.url = `http://127.0.0.1:${ports[0]}`;
    this.s3Url = `http://127.0.0.1:${ports[1]}`;
    this.#options = options;
  }

  get pid(): number {
    return this.#child!.pid!;
  }

  /** Starts the process and waits until `/readyz` succeeds. @throws Error if the process ends. */
  async start(): Promise<void> {
    const child = this.launch();
    for (;;) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`the service stopped with ${child.exitCode ?? child.signalCode}`);
      const ready = await fetch(`${this.url}/readyz`).catch(() => undefined);
      if (ready?.ok) return;
      // The interval between two polls.
      await sleep(20);
    }
  }

  /** Starts the process without waiting. */
  launch(): ChildProcess {
    const [port, s3Port] = this.ports;
    const { log } = this.#options;
    const args = ['dist/cli.js', 'serve', '--port', `${port}`, '--s3-port', `${s3Port}`, ...this.flags];
    if (log === undefined) args.push('--quiet');
    const env = { ...process.env, RATE_LIMITS: 'off', ...this.#options.env };
    const output = log === undefined ? undefined : openSync(log, 'a');
    const child = spawn(process.execPath, args, { stdio: ['ignore', output ?? 'ignore', output ?? 'inherit'], env });
    if (output !== undefined) closeSync(output);
    this.#child = child;
    return child;
  }

  /** Pauses the process, as on a frozen machine. */
  pause(): void {
    this.#child!.kill('SIGSTOP');
  }

  /** Continues a paused process. */
  resume(): void {
    this.#child!.kill('SIGCONT');
  }

  /** Sends a signal and waits for the end. @returns the exit status; null if the signal ended the process. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
    return child.exitCode;
  }
}
