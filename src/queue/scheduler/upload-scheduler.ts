import { retryAfterSeconds } from '../../protocol/error-response.js';
import { BlobError } from '../../protocol/errors.js';
import { BATCH, UPLOAD_TOKEN } from '../../protocol/limits.js';
import type { Transport } from '../../protocol/transport.js';
import type { ChosenFile } from '../../protocol/types.js';
import { asBlobError } from '../errors.js';
import { loadChunk } from '../load-chunk.js';
import type { QueueItem } from '../queue-item.js';
import type { QueueState } from '../queue-state.js';
import type { RetryPolicy } from '../retry-policy.js';
import type { UploadToken } from '../tokens/read-token.js';
import type { TokenSupply } from '../tokens/token-supply.js';
import type { RequestSender } from '../transport/request-sender.js';
import type { Limits } from '../types.js';
import { findReadFailures } from '../verification/unreadable-file.js';
import { ActiveFiles } from './active-files.js';
import { assignToken } from './assign-token.js';
import { BatchSize } from './batch-size.js';
import { OutcomeHandler } from './outcome-handler.js';
import type { PauseController } from './pause-controller.js';
import { PendingQueue } from './pending-queue.js';
import { resetRetries } from './reset-retries.js';

export interface SchedulerOptions {
  concurrency: number;
  transport: Transport | null;
  retry: RetryPolicy;
  limits: Limits;
  sniff: boolean;
  problem: BlobError | null;
}

/** Takes files from the pending queue and sends them, a limited number of requests at a time. */
export class UploadScheduler {
  /** Whether requests may start. */
  isRunning = false;
  readonly #pending = new PendingQueue();
  readonly #files: ActiveFiles;
  readonly #outcomes: OutcomeHandler;
  readonly #batchSize = new BatchSize();
  #requests = 0;
  /** Files that failed because of `problem`. */
  readonly #blocked = new Set<QueueItem>();

  constructor(
    private readonly state: QueueState,
    private readonly supply: TokenSupply,
    private readonly sender: RequestSender,
    private readonly pauses: PauseController,
    private readonly options: () => SchedulerOptions,
  ) {
    this.#files = new ActiveFiles(state);
    const pending = {
      requeue: (items: readonly QueueItem[]) => this.requeue(items),
      takeAll: () => this.#pending.takeAll(),
    };
    this.#outcomes = new OutcomeHandler(state, this.#files, supply, pauses, pending, options);
  }

  /** Adds a file to the end of the queue. */
  enqueue(item: QueueItem): void {
    this.#pending.push(item);
  }

  /** Puts files to the front of the queue. */
  requeue(items: readonly QueueItem[]): void {
    if (items.length === 0) return;
    for (const item of items) this.#files.close(item, { status: 'queued' });
    this.#pending.unshift(items);
    this.startRequests();
  }

  /** Sends failed and waiting files again at once. Their failures do not count any more. */
  retry(items: readonly QueueItem[]): void {
    for (const item of items) resetRetries(item);
    this.pauses.endPause();
    this.requeue(items);
  }

  /** Starts as many requests as may run at once. */
  startRequests(): void {
    if (!this.isRunning) return;
    const { problem } = this.options();
    if (problem) {
      this.#failAll(problem);
      return;
    }
    this.#requeueBlocked();
    while (this.isRunning && this.pauses.canSend && this.#requests < this.options().concurrency) {
      const group = this.#takeGroup();
      if (group.length === 0) return;
      void this.#runRequest(group);
    }
  }

  /** Returns the files that need a token, at most as many as one token can carry. */
  filesNeedingToken(): ChosenFile[] {
    const asking = this.#files.list('uploading').filter(({ state }) => state.status === 'uploading' && state.phase === 'token');
    const count = UPLOAD_TOKEN.maxUses.max;
    return [...asking, ...this.#pending.peekMany(count)].slice(0, count).map(({ name, size, type, relativePath, url }) => ({
      name,
      size,
      type,
      ...(relativePath !== '' && { path: relativePath }),
      ...(url !== undefined && { url }),
    }));
  }

  /** Ends all requests and pauses their files. Pending files stay queued. */
  pause(): void {
    const active = this.#files.list();
    for (const item of active) {
      clearTimeout(item.retryTimer);
      this.#files.leave(item);
    }
    for (const item of active) this.#files.pause(item);
  }

  resume(): void {
    this.requeue(this.#files.list('paused'));
  }

  /** Ends all requests because the browser went offline. The files wait, and no attempt counts. */
  goOffline(): void {
    const error = new BlobError('NETWORK_ERROR', 'The browser is offline.');
    const active = this.#files.list().filter(({ state }) => state.status !== 'paused');
    for (const item of active) this.#files.leave(item);
    for (const item of active) this.#files.wait(item, error, null);
  }

  /**
   * Sends waiting files at once because the service may be in reach again: the browser is online, or the person looks at the page. Files
   * keep waiting if the service stated the delay, or if they failed for a reason of their own.
   */
  retryWaiting(): void {
    if (!this.pauses.isOnline) return;
    const waiting = this.#files.list('waiting');
    const ready = waiting.filter((item) => {
      if (item.state.status !== 'waiting' || retryAfterSeconds(item.state.error) !== undefined) return false;
      return item.state.retryAt === null || item.outageFailures > 0;
    });
    if (ready.length > 0 && ready.length === waiting.length) this.pauses.endPause();
    this.requeue(ready);
  }

  /**
   * Adapts to another endpoint or token source. Running requests finish with the previous one. Waiting files are sent at once, because
   * their failures say nothing about the new one.
   */
  onSourceChange(): void {
    const waiting = this.#files.list('waiting').filter(({ state }) => state.status === 'waiting' && state.retryAt !== null);
    if (waiting.length === 0) return;
    this.retry(waiting);
  }

  /** Takes removed files out of their requests. Other files of these requests are sent again. */
  remove(items: Iterable<QueueItem>): void {
    for (const item of items) {
      this.#files.leave(item);
      if (item.hasStarted && item.state.status !== 'done') this.sender.release(item);
    }
  }

  destroy(): void {
    this.isRunning = false;
    for (const item of this.#files.list()) this.#files.leave(item);
    this.#pending.takeAll();
  }

  /** Ends all requests and fails every file, because nothing may be sent. */
  #failAll(problem: BlobError): void {
    const items = [...this.#files.list(), ...this.#pending.takeAll()];
    for (const item of items) {
      this.#files.leave(item);
      this.#blocked.add(item);
      this.#outcomes.fail(item, problem);
    }
    if (items.length > 0) queueMicrotask(() => this.state.completeIfIdle());
  }

  /** Sends the files again that failed because of a problem that is gone. */
  #requeueBlocked(): void {
    if (this.#blocked.size === 0) return;
    const items = [...this.#blocked].filter(({ state, isRemoved }) => state.status === 'failed' && !isRemoved);
    this.#blocked.clear();
    for (const item of items) resetRetries(item);
    this.requeue(items);
  }

  /** Takes the files of the next request: one, or several small ones. */
  #takeGroup(): QueueItem[] {
    const group: QueueItem[] = [];
    let bytes = 0;
    // Files are spread over all requests, so that no request waits for another with a hundred files.
    const share = Math.ceil(this.state.totals.queued / (this.options().concurrency - this.#requests));
    const maxCount = Math.min(BATCH.maxParts, share, this.supply.usesPerToken);
    for (let item = this.#pending.peek(); item; item = this.#pending.peek()) {
      const canBatch = this.sender.canBatch(item);
      const isFull = group.length >= maxCount || bytes + item.size > this.#batchSize.bytes;
      if (group.length > 0 && (!canBatch || isFull)) break;
      this.#pending.shift();
      group.push(item);
      bytes += item.size;
      if (!canBatch) break;
    }
    return group;
  }

  /** Gets a token for the files, sends them, and handles the outcome of each. */
  async #runRequest(group: readonly QueueItem[]): Promise<void> {
    const request = new AbortController();
    const remaining = () => group.filter((item) => item.request === request);
    this.#requests++;
    // A listener that receives the event of one file may remove the next one.
    for (const item of group) if (item.isQueued) this.#files.enter(item, request);
    try {
      await this.sender.prepare(group);
      if (this.options().sniff) await this.#rejectMismatches(group, request);
      if (remaining().length === 0) return;
      const token = this.options().transport ? undefined : await this.#assignToken(group, request);
      const items = remaining();
      // If no token was supplied, all files have left the request.
      if (items.length === 0) return;
      const start = performance.now();
      const outcomes = await this.sender.send(items, token, request);
      if (this.sender.canBatch(items[0]!))
        this.#batchSize.measure(
          items.reduce((sum, { size }) => sum + size, 0),
          performance.now() - start,
        );
      this.#outcomes.handle(
        items.map((item, index) => [item, outcomes[index]!]),
        request,
      );
    } catch (cause) {
      await this.#handleFailure(remaining(), cause, request);
    } finally {
      this.#requests--;
      this.startRequests();
      if (this.#requests === 0) this.state.totals.speedMeter?.reset();
      this.state.completeIfIdle();
    }
  }

  /** Assigns a token to the files. If none is supplied, handles the failure of all files and returns undefined. */
  async #assignToken(group: readonly QueueItem[], request: AbortController): Promise<UploadToken | undefined> {
    const context = { supply: this.supply, files: this.#files, limits: () => this.options().limits };
    try {
      const { token, unassigned } = await assignToken(group, request, context);
      this.requeue(unassigned);
      return token;
    } catch (cause) {
      const items = group.filter((item) => item.request === request);
      await this.#handleFailure(items, cause, request, true);
      return undefined;
    }
  }

  /** Handles the failure of a request as a whole. Offline, the files are not checked. */
  async #handleFailure(
    items: readonly QueueItem[],
    cause: unknown,
    request: AbortController,
    isTokenRequest = false,
  ): Promise<void> {
    const error = asBlobError(cause);
    const outcomes = this.pauses.isOnline ? await findReadFailures(items, error) : items.map(() => error);
    this.#outcomes.handle(
      items.map((item, index) => [item, outcomes[index]!]),
      request,
      isTokenRequest,
    );
  }

  /** Rejects files whose first bytes do not fit their extension. */
  async #rejectMismatches(group: readonly QueueItem[], request: AbortController): Promise<void> {
    const findTypeMismatch = await loadChunk('findTypeMismatch', () => import('../verification/detect-type.js'));
    const mismatches = await Promise.all(group.map(async ({ file }) => file && findTypeMismatch(file).catch(() => undefined)));
    group.forEach((item, index) => {
      const mismatch = mismatches[index];
      if (!mismatch || item.request !== request) return;
      this.#files.close(item, { status: 'rejected', rejection: { code: 'CONTENT_MISMATCH', details: { ...mismatch } } });
    });
  }
}
