import { retryAfterSeconds } from '../../protocol/error-response.js';
import { BlobError } from '../../protocol/errors.js';
import { isUnreadable } from '../errors.js';
import { backoffDelay } from '../../protocol/retry.js';
import type { FileRecord } from '../../protocol/types.js';
import type { QueueItem } from '../queue-item.js';
import type { QueueState } from '../queue-state.js';
import type { RetryPolicy } from '../retry-policy.js';
import { rememberStoringToken } from '../tokens/storing-tokens.js';
import type { TokenSupply } from '../tokens/token-supply.js';
import type { ActiveFiles } from './active-files.js';
import type { PauseController } from './pause-controller.js';
import { MAX_TOKEN_REFUSALS, canRetryLater, decideRetry } from './retry-decision.js';
import type { Outcome } from '../outcome.js';
import type { RetryDecision } from './retry-decision.js';

/** Access to the pending files. */
interface PendingFiles {
  /** Puts files to the front of the queue. */
  requeue(items: readonly QueueItem[]): void;
  /** Empties the queue. @returns its files */
  takeAll(): QueueItem[];
}

interface HandlerOptions {
  concurrency: number;
  retry: RetryPolicy;
}

type FailedFile = readonly [item: QueueItem, error: BlobError];

/** The steps that follow once all outcomes of a request are handled. */
interface FollowUp {
  readonly sendAgain: QueueItem[];
  readonly retryLater: FailedFile[];
  /** Pending files that fail with the same error, because each would need a token as well. */
  pendingFailures?: { readonly items: QueueItem[]; readonly error: BlobError };
}

/** Applies the decision of `decideRetry` to each file of a request that ended. */
export class OutcomeHandler {
  /** Requests in a row that found no service. */
  #outages = 0;
  /** Tokens that the service refused since it last stored a file. */
  #refusedTokens = 0;

  constructor(
    private readonly state: QueueState,
    private readonly files: ActiveFiles,
    private readonly supply: TokenSupply,
    private readonly pauses: PauseController,
    private readonly pending: PendingFiles,
    private readonly options: () => HandlerOptions,
  ) {}

  /**
   * Handles the outcomes of a request. The page receives the event of each file at once and may remove or pause the next one, which
   * then keeps its state. Files that are retried share one delay, so that they share the next request.
   * @param isTokenRequest the request for a token failed, not the upload
   */
  handle(outcomes: readonly (readonly [QueueItem, Outcome])[], request: AbortController, isTokenRequest = false): void {
    const followUp: FollowUp = { sendAgain: [], retryLater: [] };
    const isInRequest = (item: QueueItem) => item.request === request;
    for (const [item, outcome] of outcomes) {
      if (!isInRequest(item)) continue;
      if (outcome instanceof BlobError) this.#handleError(item, outcome, isTokenRequest, followUp);
      else this.#handleStored(item, outcome);
    }
    const { sendAgain, retryLater, pendingFailures } = followUp;
    this.#retryLater(
      retryLater.filter(([item]) => isInRequest(item)),
      isTokenRequest,
    );
    this.pending.requeue(sendAgain.filter(isInRequest));
    for (const item of pendingFailures?.items ?? [])
      if (item.isQueued) this.state.change(item, { status: 'failed', error: pendingFailures!.error, retryable: true });
  }

  #handleStored(item: QueueItem, file: FileRecord): void {
    this.#outages = this.#refusedTokens = 0;
    if (item.token) rememberStoringToken(item, item.token);
    // The page's listeners get the file. They must not see its token.
    item.token = undefined;
    this.files.close(item, { status: 'done', file });
  }

  #handleError(item: QueueItem, error: BlobError, isTokenRequest: boolean, followUp: FollowUp): void {
    const decision = this.#decide(item, error, isTokenRequest);
    switch (decision) {
      case 'retry':
      case 'retry-after-outage':
        if (decision === 'retry-after-outage') item.outageFailures++;
        followUp.retryLater.push([item, error]);
        return;
      case 'wait-for-connection':
        this.files.wait(item, error, null);
        return;
      case 'fail':
        if (this.#failsAll(error, isTokenRequest)) followUp.pendingFailures ??= { items: this.pending.takeAll(), error };
        this.fail(item, error);
        return;
      default:
        if (decision === 'replace-token') this.#dropRefusedToken(item);
        followUp.sendAgain.push(item);
    }
  }

  /** Fails a file. Returns its use of the token if the service refused the file. */
  fail(item: QueueItem, error: BlobError): void {
    const isRefusal = error.status >= 400 && error.status < 500 && error.code !== 'CHECKSUM_MISMATCH';
    if (item.token && error.code === 'BLOB_UPLOAD_TOKEN_INVALID') this.supply.markRefused(item.token);
    else if (item.token && isRefusal) this.supply.returnUse(item.token);
    item.token = undefined;
    this.files.close(item, { status: 'failed', error, retryable: canRetryLater(error) });
  }

  #decide(item: QueueItem, error: BlobError, isTokenRequest: boolean): RetryDecision {
    const decision = decideRetry(error, {
      isOnline: this.pauses.isOnline,
      policy: this.options().retry,
      isTokenRequest,
      failures: item.failures - item.outageFailures,
      tokenRefusals: item.tokenRefusals,
      waitedMs: item.waitedMs,
    });
    const isFinal = decision === 'fail' || decision === 'wait-for-connection';
    if (isFinal || item.token === undefined || this.supply.isCurrentSource(item.token)) return decision;
    // The endpoint or the token source changed during the request. Its failure says nothing about the new one.
    item.token = undefined;
    return 'send-again';
  }

  /**
   * Returns whether the pending files fail as well: no token can be had, or the service refuses one token after another. Otherwise each
   * file would ask for a token, and may be sent in full, although it would fail.
   */
  #failsAll(error: BlobError, isTokenRequest: boolean): boolean {
    if (isTokenRequest) return !isUnreadable(error);
    return error.code === 'BLOB_UPLOAD_TOKEN_INVALID' && this.#refusedTokens >= MAX_TOKEN_REFUSALS - 1;
  }

  #dropRefusedToken(item: QueueItem): void {
    if (item.token && !item.token.isRefused) {
      this.supply.markRefused(item.token);
      this.#refusedTokens++;
    }
    item.token = undefined;
    item.tokenRefusals++;
  }

  #retryLater(failed: readonly FailedFile[], isTokenRequest: boolean): void {
    if (failed.length === 0) return;
    const delay = this.#delayOf(failed, isTokenRequest);
    const timer = setTimeout(() => {
      this.pending.requeue(failed.map(([item]) => item).filter((item) => item.retryTimer === timer));
    }, delay);
    for (const [item, error] of failed) {
      item.failures++;
      item.waitedMs += delay;
      item.retryTimer = timer;
      this.files.wait(item, error, Date.now() + delay);
    }
    // Listeners receive the events after all files wait: the page may pause, or remove files.
    for (const [item, error] of failed)
      if (item.retryTimer === timer) this.state.events.emit('retry', { item, error, attempt: item.failures + 1 });
  }

  /** Computes the delay in milliseconds. Pauses all requests if none of them would get through. */
  #delayOf(failed: readonly FailedFile[], isTokenRequest: boolean): number {
    const policy = this.options().retry;
    const stated = failed.map(([, error]) => retryAfterSeconds(error)).filter((seconds) => seconds !== undefined);
    const retryAfter = stated.length > 0 ? Math.max(...stated) : undefined;
    const hasStatus = (wanted: number) => failed.some(([, { status }]) => status === wanted);
    if (failed.some(([item]) => item.outageFailures > 0)) {
      this.#outages++;
      // After two requests in a row nothing gets through, so there is no speed to show.
      if (this.#outages > 1) this.state.totals.speedMeter?.reset();
    }
    // The service runs few fetches at once, and takes files meanwhile.
    const isRateLimited = failed.some(([, { status, code }]) => status === 429 && code !== 'FETCH_LIMIT_REACHED');
    const affectsAll = isTokenRequest || isRateLimited || this.#outages > this.options().concurrency;
    const pauseMs = affectsAll ? this.pauses.remainingMs : 0;
    const ownDelay = backoffDelay(Math.max(...failed.map(([item]) => item.failures + 1)), policy, retryAfter);
    const delay = pauseMs > (retryAfter ?? 0) * 1000 ? pauseMs : ownDelay;
    if (affectsAll) this.pauses.pauseFor(delay);
    // A 503 with Retry-After speaks for the whole service.
    if (retryAfter !== undefined && hasStatus(503)) this.pauses.pauseFor(retryAfter * 1000);
    return delay;
  }
}
