import type { QueueItem } from './queue-item.js';
import type { QueueState } from './queue-state.js';
import { PauseController } from './scheduler/pause-controller.js';
import type { PauseChange } from './scheduler/pause-controller.js';
import { ScreenLock } from './screen-lock.js';
import { UploadScheduler } from './scheduler/upload-scheduler.js';
import { narrowLimits } from './tokens/token-limits.js';
import type { TokenLimits } from './tokens/token-limits.js';
import { TokenSupply } from './tokens/token-supply.js';
import { RequestSender } from './transport/request-sender.js';
import { SpeedMeter } from './transport/speed-meter.js';
import type { Limits, QueueOptions } from './types.js';

export { deleteStored } from './delete-stored.js';

export interface EngineHooks {
  /** A new token has other limits than the one before, or the same. */
  onTokenLimits(): void;
  onConnectionChange(): void;
}

/**
 * Sends the files of one queue: wires up the scheduler, the token supply and the transport. Pages load this module and all it imports
 * with the first file, see `engine-loader.ts`.
 */
export class UploadEngine {
  readonly #supply: TokenSupply;
  readonly #pauses: PauseController;
  readonly #sender: RequestSender;
  readonly #scheduler: UploadScheduler;
  readonly #screenLock = new ScreenLock();
  /** The limits of the newest token. */
  #tokenLimits: TokenLimits | undefined;

  /** @param options returns the present options, with the limits of the page and the token */
  constructor(
    state: QueueState,
    private readonly options: () => QueueOptions,
    private readonly hooks: EngineHooks,
  ) {
    state.totals.speedMeter = new SpeedMeter();
    this.#pauses = new PauseController((change) => this.#onPauseChange(change));
    this.#supply = new TokenSupply(this.#supplyOptions(), {
      filesNeedingToken: () => this.#scheduler.filesNeedingToken(),
      onToken: ({ limits }) => {
        this.#tokenLimits = limits;
        hooks.onTokenLimits();
      },
      untilOnline: (signal) => this.#pauses.untilOnline(signal),
    });
    this.#sender = new RequestSender(state, options);
    this.#scheduler = new UploadScheduler(state, this.#supply, this.#sender, this.#pauses, options);
  }

  enqueue(items: Iterable<QueueItem>): void {
    for (const item of items) this.#scheduler.enqueue(item);
  }

  /** Starts requests, or keeps new ones from starting. */
  setRunning(isRunning: boolean): void {
    this.#scheduler.isRunning = isRunning;
    this.#scheduler.startRequests();
  }

  /** Ends all requests. Their files are paused. */
  pause(): void {
    this.#scheduler.pause();
  }

  resume(): void {
    this.#scheduler.resume();
  }

  /** Sends files again that failed or wait. */
  retry(items: readonly QueueItem[]): void {
    this.#scheduler.retry(items);
  }

  /** Ends what files do that were removed from the list. */
  remove(items: Iterable<QueueItem>): void {
    this.#scheduler.remove(items);
    this.#scheduler.startRequests();
  }

  /** Takes over a changed endpoint or token provider. @returns whether one of them changed */
  updateSource(): boolean {
    const isNew = this.#supply.configure(this.#supplyOptions());
    if (isNew) this.#tokenLimits = undefined;
    return isNew;
  }

  /** Narrows the limits of the page by those of the newest token. */
  narrow(limits: Limits): Limits {
    return this.#tokenLimits ? narrowLimits(limits, this.#tokenLimits) : limits;
  }

  /** Sends waiting files at once: their failures say nothing about the new source. */
  retryWithNewSource(): void {
    this.#scheduler.onSourceChange();
  }

  /** Listens to the connection only while files are to be sent. */
  listen(isWanted: boolean): void {
    this.#pauses.listen(isWanted);
  }

  /** Keeps the screen on while files are sent. */
  keepScreenOn(isWanted: boolean): void {
    this.#screenLock.set(isWanted);
  }

  destroy(): void {
    this.#screenLock.set(false);
    this.#scheduler.destroy();
    this.#sender.destroy();
    this.#supply.destroy();
    this.#pauses.destroy();
  }

  #supplyOptions() {
    const { tokenProvider, endpoint } = this.options();
    return { provider: tokenProvider, endpoint };
  }

  #onPauseChange(change: PauseChange): void {
    if (change === 'offline') this.#scheduler.goOffline();
    if (change === 'online' || change === 'offline') this.hooks.onConnectionChange();
    if (change === 'online' || change === 'visible') this.#scheduler.retryWaiting();
    this.#scheduler.startRequests();
  }
}
