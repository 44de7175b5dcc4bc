import { execFile } from 'node:child_process';
import { getPriority } from 'node:os';
import { ProgramEnded, ProgramProcess } from '../../../runtime/program-process.js';

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
  readonly priority: ScryptPriority;
  readonly #process = new ProgramProcess<ScryptResponse>(new URL(/* @vite-ignore */ './scrypt-program.js', import.meta.url));

  constructor(priority: ScryptPriority) {
    this.priority = priority;
    this.#lowerPriority();
    this.#process.release();
  }

  get isRunning(): boolean {
    return this.#process.isRunning;
  }

  /** Id of the process. Undefined if it could not be started. */
  get id(): number | undefined {
    return this.#process.id;
  }

  /** @throws Error if the process ends first. */
  async compute(request: ScryptRequest): Promise<Uint8Array> {
    const response = await this.#process.request(request).catch((cause: Error) => {
      const problem = cause instanceof ProgramEnded ? 'has ended' : 'cannot be used';
      throw new Error(`The process that hashes passwords ${problem}.`, { cause });
    });
    if ('hash' in response) return response.hash;
    throw new Error(`A password cannot be hashed: ${response.problem}`);
  }

  end(): void {
    this.#process.end();
  }

  #lowerPriority(): void {
    const { id } = this.#process;
    if (id === undefined) return;
    this.#process.setPriority(Math.min(getPriority() + LOWER_BY, LOWEST));
    // SCHED_IDLE (sched(7)): a thread of the service that wakes up interrupts the hash at once. With a low priority alone, it waits for some
    // milliseconds. Node has no function for it, so a program of util-linux sets it. The low priority remains if that is not installed.
    if (this.priority === 'idle' && process.platform === 'linux')
      execFile('chrt', ['--idle', '--pid', '0', String(id)], () => {});
  }
}
