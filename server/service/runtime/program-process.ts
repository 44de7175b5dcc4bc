import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { setPriority } from 'node:os';
import { childEnvironment } from './child-environment.js';

/** The process of a program ended before it responded. */
export class ProgramEnded extends Error {
  override readonly name = 'ProgramEnded';

  /** @param exitCode null if a signal ended the process. */
  constructor(readonly exitCode: number | null) {
    super(`The process ended with ${exitCode === null ? 'a signal' : `code ${exitCode}`}.`);
  }
}

/** A child process that responds to one message at a time. Its environment has no credentials. It keeps the service alive while it works. */
export class ProgramProcess<Response> {
  isRunning = true;
  readonly #child: ChildProcess;

  /** @param program a file beside the caller. vite.config.ts builds it: Vite itself would put it into a `data:` URL, which cannot be started. */
  constructor(program: URL) {
    this.#child = fork(program, {
      execArgv: [],
      env: childEnvironment(),
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    });
    this.#child.on('error', () => {});
    this.#child.once('exit', () => (this.isRunning = false));
  }

  /** Id of the process. Undefined if it could not be started. */
  get id(): number | undefined {
    return this.#child.pid;
  }

  /** Sends a request and waits for its response. @throws ProgramEnded, or the error of a process that cannot be used. */
  async request(message: object): Promise<Response> {
    this.#child.ref();
    this.#child.channel?.ref();
    const responded = this.response();
    this.#child.send(message, () => {});
    return responded.finally(() => this.release());
  }

  /** Waits for the next message. @throws as `request` does. */
  response(): Promise<Response> {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      const settle = () => void child.off('message', onMessage).off('exit', onExit).off('error', onError);
      const onMessage = (message: unknown) => {
        settle();
        resolve(message as Response);
      };
      const onExit = (code: number | null) => {
        settle();
        this.isRunning = false;
        reject(new ProgramEnded(code));
      };
      const onError = (cause: Error) => {
        settle();
        this.end();
        reject(cause);
      };
      child.once('message', onMessage).once('exit', onExit).once('error', onError);
    });
  }

  /** Lets the service end while the process waits for work. */
  release(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }

  /** @param priority from -20 to 19, the lowest. */
  setPriority(priority: number): void {
    try {
      if (this.#child.pid !== undefined) setPriority(this.#child.pid, priority);
    } catch {
      // The process has ended, or the system refuses.
    }
  }

  end(): void {
    this.isRunning = false;
    this.#child.kill('SIGKILL');
  }
}
