import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** `svc-blob serve` as a process of its own, on ports that stay the same, to be killed and started again. */
export class ServeProcess {
  readonly url: string;
  readonly s3Url: string;
  #child: ChildProcess | undefined;

  /** @param flags where the data lies. */
  constructor(
    private readonly flags: string[],
    private readonly ports: [rest: number, s3: number],
    private readonly env: Record<string, string> = {},
  ) {
    this.url = `http://127.0.0.1:${ports[0]}`;
    this.s3Url = `http://127.0.0.1:${ports[1]}`;
  }

  /** Resolves when it is ready. */
  async start(): Promise<void> {
    const [port, s3Port] = this.ports;
    const args = ['dist/cli.js', 'serve', '--quiet', '--port', `${port}`, '--s3-port', `${s3Port}`, ...this.flags];
    const env = { ...process.env, RATE_LIMITS: 'off', ...this.env };
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'], env });
    this.#child = child;
    for (;;) {
      if (child.exitCode !== null) throw new Error(`the service stopped with ${child.exitCode}`);
      const ready = await fetch(`${this.url}/readyz`).catch(() => undefined);
      if (ready?.ok) return;
      await sleep(20);
    }
  }

  /** Stops it in the middle of whatever it does, as a machine does that is frozen. */
  pause(): void {
    this.#child!.kill('SIGSTOP');
  }

  /** Lets it go on. */
  resume(): void {
    this.#child!.kill('SIGCONT');
  }

  /** @returns its exit status; null when the signal ended it. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
    return child.exitCode;
  }
}
