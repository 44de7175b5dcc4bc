import type { BlobError } from '../protocol/errors.js';
import { backoffDelay } from '../protocol/retry.js';
import { asBlobError } from './errors.js';
import { loadChunk } from './load-chunk.js';
import type { RetryPolicy } from './retry-policy.js';
import type { UploadEngine } from './upload-engine.js';

type EngineClass = typeof UploadEngine;

/** The engine's class, shared by all queues of the page. */
let engineClass: EngineClass | undefined;

async function loadEngineClass(): Promise<EngineClass> {
  engineClass ??= await loadChunk('UploadEngine', () => import('./upload-engine.js'));
  return engineClass;
}

/** Loads the engine before the first file is chosen. If that fails, the first file loads it. */
export async function preloadEngine(): Promise<void> {
  await loadEngineClass().catch(() => {});
}

/** Callbacks of `EngineLoader`. */
export interface LoaderHooks {
  policy(): RetryPolicy;
  /** The engine is loaded. */
  onLoad(): void;
  /** Loading failed and is tried again. @param retryAt a `Date.now()` time */
  onRetry(error: BlobError, retryAt: number, attempt: number): void;
  /** The next attempt begins. */
  onAttempt(): void;
  /** Loading failed too often. The next file, or a retry by the person, loads it anew. */
  onFail(error: BlobError): void;
}

/** Loads the engine for one queue, and retries with growing delays. Offline it waits for the connection. */
export class EngineLoader {
  #failures = 0;
  /** Aborted to stop loading or waiting. */
  #run: AbortController | undefined;

  constructor(private readonly hooks: LoaderHooks) {}

  /** The class of the engine once it is loaded. */
  get loaded(): EngineClass | undefined {
    return engineClass;
  }

  /** Starts to load, unless that is under way. */
  load(): void {
    if (this.#run) return;
    this.#failures = 0;
    this.#run = new AbortController();
    void this.#attempt(this.#run.signal);
  }

  /** Stops loading, such as while the queue is paused. Leaves no listener and no timer. */
  stop(): void {
    this.#run?.abort();
    this.#run = undefined;
  }

  async #attempt(signal: AbortSignal): Promise<void> {
    if (globalThis.navigator?.onLine === false) {
      this.#attemptAfter(null, signal);
      return;
    }
    try {
      await loadEngineClass();
    } catch (cause) {
      if (!signal.aborted) this.#onError(asBlobError(cause), signal);
      return;
    }
    if (signal.aborted) return;
    this.#run = undefined;
    this.hooks.onLoad();
  }

  #onError(error: BlobError, signal: AbortSignal): void {
    const policy = this.hooks.policy();
    this.#failures++;
    if (this.#failures >= policy.maxAttempts) {
      this.#run = undefined;
      this.hooks.onFail(error);
      return;
    }
    const delay = backoffDelay(this.#failures, policy);
    this.#attemptAfter(delay, signal);
    this.hooks.onRetry(error, Date.now() + delay, this.#failures + 1);
  }

  /** Starts the next attempt when the browser comes online, or after the delay in milliseconds. */
  #attemptAfter(delay: number | null, signal: AbortSignal): void {
    const wait = new AbortController();
    const attempt = () => {
      wait.abort();
      if (signal.aborted) return;
      this.hooks.onAttempt();
      void this.#attempt(signal);
    };
    const timer = delay === null ? undefined : setTimeout(attempt, delay);
    // Node has no such event.
    globalThis.addEventListener?.('online', attempt, { signal: wait.signal });
    wait.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
    signal.addEventListener('abort', () => wait.abort(), { once: true });
  }
}
