import { execFile, fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';
import { childEnvironment } from '../../../runtime/child-environment.js';

/** Message to `scrypt-program.js`. */
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

export type ScryptResponse = { hash: Uint8Array } | { problem: string };

/**
 * When a process runs. `idle`: while other threads leave a core unused. `low`: ten steps below the service, but always with a share of a core.
 */
export type ScryptPriority = 'idle' | 'low';

/** Steps of priority ("nice") below the service. */
const LOWER_BY = 10;
const LOWEST = 19;

/** A process that computes one hash at a time. It keeps the service alive only while it works. */
export class ScryptProcess {
  isRunning = true;
  readonly priority: ScryptPriority;
  readonly #child: ChildProcess;

  constructor(priority: ScryptPriority) {
    this.priority = priority;
    // vite.config.ts builds the file. Vite itself would put it into a `data:` URL, which cannot be started.
    this.#child = fork(new URL(/* @vite-ignore */ './scrypt-program.js', import.meta.url), {
      execArgv: [],
      env: childEnvironment(),
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    });
    this.#child.on('error', () => {});
    this.#child.once('exit', () => (this.isRunning = false));
    this.#lowerPriority();
    this.#release();
  }

  /** Id of the process. Undefined if it could not be started. */
  get id(): number | undefined {
    return this.#child.pid;
  }

  /** @throws Error if the process ends first. */
  compute(request: ScryptRequest): Promise<Uint8Array> {
    const child = this.#child;
    child.ref();
    child.channel?.ref();
    return new Promise<Uint8Array>((resolve, reject) => {
      const settle = () => void child.off('message', onMessage).off('exit', onExit).off('error', onError);
      const onMessage = (message: unknown) => {
        settle();
        const response = message as ScryptResponse;
        if ('hash' in response) resolve(response.hash);
        else reject(new Error(`A password cannot be hashed: ${response.problem}`));
      };
      const onExit = () => {
        settle();
        reject(new Error('The process that hashes passwords has ended.'));
      };
      const onError = (cause: Error) => {
        settle();
        this.end();
        reject(new Error('The process that hashes passwords cannot be used.', { cause }));
      };
      child.once('message', onMessage).once('exit', onExit).once('error', onError);
      child.send(request, () => {});
    }).finally(() => this.#release());
  }

  end(): void {
    this.isRunning = false;
    this.#child.kill('SIGKILL');
  }

  /** Lets the service end while the process waits for work. */
  #release(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }

  #lowerPriority(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      setPriority(pid, Math.min(getPriority() + LOWER_BY, LOWEST));
    } catch {
      // The process has ended, or the system refuses.
    }
    // SCHED_IDLE (sched(7)): a thread of the service that wakes up interrupts the hash at once. With a low priority alone, it waits for some
    // milliseconds. Node has no function for it, so a program of util-linux sets it. The low priority remains if that is not installed.
    if (this.priority === 'idle' && process.platform === 'linux')
      execFile('chrt', ['--idle', '--pid', '0', String(pid)], () => {});
  }
}
