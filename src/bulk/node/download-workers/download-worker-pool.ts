import { availableParallelism } from 'node:os';
import type { ConnectionOptions } from 'node:tls';
import type { Wire, WireAnswer } from '../../http/http-client.js';
import { fillHere } from './download-to-file.js';
import { Filler } from './download-worker.js';
import type { FillRequest } from './download-worker.js';
import { settingFor } from './messages.js';

/** So much is filled before there is a thread: one costs more to start. Bytes. */
const WORTH = 32 * 1024 * 1024;
/** Those that write to one file wait for its lock now and then; what they decrypt, they decrypt beside each other. Measured on two cores only. */
const MOST = 3;
/** A disk that lets one wait so long, in milliseconds, would hold up all else that this thread does. */
const PATIENCE = 50;

/** Who fills files: this thread, and as many others as there is use for. */
export class Fillers {
  #threads: Filler[] = [];
  readonly #most = Math.min(MOST, Math.max(1, availableParallelism() - 1));
  /** Asked for since there was last nothing to do. */
  #bytes = 0;
  /** Requests that this thread has in hand. */
  #load = 0;
  #waits = false;
  /** Whether there may be threads, as far as is known; else files are better written as what comes is shown, by one that only writes. */
  able = true;
  readonly #known = { heard: false };
  /** Whether the threads speak TLS: what they are told is for one or the other. */
  #secure: boolean | undefined;

  constructor(
    private readonly wire: Wire,
    private readonly tls: ConnectionOptions,
    private readonly stallSeconds: number,
  ) {}

  /** As `fillHere`. */
  async fill(request: FillRequest, proxy: URL | undefined): Promise<WireAnswer> {
    if (this.#load === 0 && this.#threads.every(({ load }) => load === 0)) {
      this.#bytes = 0;
      this.#waits = false;
    }
    this.#bytes += request.into.size;
    const thread = this.#next(request.origin.secure || proxy?.protocol === 'https:');
    if (thread !== undefined) {
      const answer = await thread.fill(request, proxy);
      if (answer !== undefined) return answer;
      this.able = false;
    }
    this.#load++;
    try {
      return await fillHere(this.wire, request, (waited) => (this.#waits ||= waited > PATIENCE));
    } finally {
      this.#load--;
    }
  }

  close(): void {
    this.able = false;
    for (const thread of this.#threads) thread.close();
  }

  /** The thread that is to have the next request; undefined for this one. */
  #next(secure: boolean): Filler | undefined {
    this.#threads = this.#threads.filter(({ state }) => state !== 'closing');
    if (this.#threads.some(({ state }) => state === 'failed')) this.able = false;
    if (!this.able || (this.#bytes <= WORTH && !this.#waits) || secure !== (this.#secure ??= secure)) return undefined;
    const least = this.#threads.reduce<Filler | undefined>(
      (one, other) => (one && one.load <= other.load ? one : other),
      undefined,
    );
    const load = least?.load ?? Infinity;
    const isMost = this.#threads.length === this.#most;
    if (!this.#waits && (this.#load === 0 || (isMost && this.#load < load))) return undefined;
    return load === 0 || isMost ? least : this.#begin(secure);
  }

  #begin(secure: boolean): Filler | undefined {
    try {
      const thread = new Filler(settingFor(this.tls, this.stallSeconds, secure), this.#known);
      this.#threads.push(thread);
      return thread;
    } catch {
      this.able = false;
      return undefined;
    }
  }
}
