import { isRetryable } from '../../protocol/error-response.js';
import { BlobError } from '../../protocol/errors.js';
import { toDisplayText, truncateText } from '../../protocol/display-text.js';
import type { ChosenFile } from '../../protocol/types.js';
import { readBlobError } from '../errors.js';
import { isProgrammerError } from './programmer-error.js';
import { readToken, TOKEN_TIMEOUT } from './read-token.js';
import type { UploadToken } from './read-token.js';
import type { TokenProvider, TokenReason } from '../types.js';
import { abortable } from '../abortable.js';

/** UTF-16 units of a page's error message that are logged. */
const LOGGED_MAX = 500;

export interface SupplyOptions {
  provider: TokenProvider;
  endpoint: string;
}

export interface SupplyHooks {
  /** Returns the files that need a token, at most as many as one token can carry. */
  filesNeedingToken(): ChosenFile[];
  onToken(token: UploadToken): void;
  /** Resolves when the browser is online. */
  untilOnline(signal: AbortSignal): Promise<void>;
}

/** Reserves uses of tokens for files. It requests one token at a time, however many files wait for one. */
export class TokenSupply {
  #current: UploadToken | undefined;
  #tokenRequest: { promise: Promise<UploadToken>; controller: AbortController } | undefined;
  #waiters = 0;
  #hasFailed = false;
  /** Tokens of the present provider and endpoint. */
  #ownTokens = new WeakSet<UploadToken>();

  constructor(
    private options: SupplyOptions,
    private readonly hooks: SupplyHooks,
  ) {}

  /** Files that one token can carry; Infinity if unknown. */
  get usesPerToken(): number {
    return this.#current?.maxUses ?? Number.POSITIVE_INFINITY;
  }

  /** Changes provider and endpoint. Drops the present token, and a pending request for one. @returns whether they differ from before */
  configure(options: SupplyOptions): boolean {
    const { provider, endpoint } = this.options;
    this.options = options;
    if (options.provider === provider && options.endpoint === endpoint) return false;
    // Waiting files ask the new provider.
    this.#tokenRequest?.controller.abort();
    this.#current = this.#tokenRequest = undefined;
    this.#ownTokens = new WeakSet();
    this.#hasFailed = false;
    return true;
  }

  /** Returns whether a token came from the present provider, for the present endpoint. */
  isCurrentSource(token: UploadToken): boolean {
    return this.#ownTokens.has(token);
  }

  /**
   * Reserves uses for up to `wanted` files.
   * @returns the token and the number of reserved uses, at least one
   * @throws BlobError `TOKEN_SUPPLY_FAILED`, or a retryable error; the signal's reason
   */
  async reserveUses(wanted: number, signal: AbortSignal): Promise<{ token: UploadToken; uses: number }> {
    for (;;) {
      signal.throwIfAborted();
      const token = this.#current;
      if (token?.isUsable) {
        const uses = Math.min(wanted, token.usesLeft);
        token.usesLeft -= uses;
        return { token, uses };
      }
      await this.#awaitToken(signal);
    }
  }

  /** Returns the use of a file that was definitely not stored. */
  returnUse(token: UploadToken): void {
    token.usesLeft++;
  }

  /** Marks a token as refused by the service. */
  markRefused(token: UploadToken): void {
    token.isRefused = true;
  }

  destroy(): void {
    this.#tokenRequest?.controller.abort();
    this.#current = undefined;
  }

  /** Waits for the pending request, or starts one. Aborts it when no file waits any more. */
  async #awaitToken(signal: AbortSignal): Promise<void> {
    const tokenRequest = (this.#tokenRequest ??= this.#startRequest());
    this.#waiters++;
    try {
      await abortable(tokenRequest.promise, signal);
    } catch (cause) {
      if (!tokenRequest.controller.signal.aborted) throw cause;
    } finally {
      if (--this.#waiters === 0 && this.#tokenRequest === tokenRequest) {
        this.#tokenRequest = undefined;
        tokenRequest.controller.abort();
      }
    }
  }

  #startRequest() {
    const controller = new AbortController();
    const reason = this.#reason();
    // After a microtask, all files that start in this task wait for the token.
    const promise = Promise.resolve()
      .then(() => this.#fetch(reason, controller))
      .then(
        (token) => {
          this.#hasFailed = false;
          if (this.#tokenRequest?.controller !== controller) return token;
          this.#current = token;
          this.#ownTokens.add(token);
          this.hooks.onToken(token);
          return token;
        },
        (error: unknown) => {
          if (!controller.signal.aborted) {
            this.#hasFailed = true;
            // The person reads that uploads are unavailable. The developer reads the cause in the console.
            console.warn('<svc-uploader>:', truncateText(toDisplayText((error as Error).message, ' '), LOGGED_MAX));
          }
          throw error;
        },
      )
      .finally(() => {
        if (this.#tokenRequest?.controller === controller) this.#tokenRequest = undefined;
      });
    return { promise, controller };
  }

  #reason(): TokenReason {
    const token = this.#current;
    if (this.#hasFailed) return 'retry';
    if (!token) return 'start';
    if (token.isRefused) return 'invalid';
    return token.usesLeft > 0 ? 'expiring' : 'exhausted';
  }

  async #fetch(reason: TokenReason, controller: AbortController): Promise<UploadToken> {
    const { signal } = controller;
    const previous = this.#current;
    try {
      await this.hooks.untilOnline(signal);
      const files = this.hooks.filesNeedingToken();
      // A page may remove its files in the task that added them.
      if (files.length === 0) controller.abort();
      signal.throwIfAborted();
      const token = await requestToken(this.options, { files, reason }, signal);
      if (token.usesLeft < 1) {
        const details = { max_files: token.maxUses };
        throw new BlobError('TOKEN_SUPPLY_FAILED', 'No upload token: the one supplied has no uses left.', { details });
      }
      if (previous?.isRefused && previous.isSame(token)) throw supplyFailed(new Error('The token supplied was refused before.'));
      return token;
    } catch (cause) {
      signal.throwIfAborted();
      throw asSupplyError(cause);
    }
  }
}

/** Asks the page for a token. A provider that never settles is asked again, as after an outage. */
export async function requestToken(
  { provider, endpoint }: SupplyOptions,
  question: { files: ChosenFile[]; reason: TokenReason },
  signal?: AbortSignal,
): Promise<UploadToken> {
  const timeout = AbortSignal.timeout(TOKEN_TIMEOUT);
  const deadline = signal ? AbortSignal.any([signal, timeout]) : timeout;
  return readToken(await abortable(provider({ ...question, signal: deadline }), deadline), endpoint, deadline);
}

/** Keeps retryable errors (no network, 429, 5xx). Any other error is final and becomes `TOKEN_SUPPLY_FAILED`. */
export function asSupplyError(cause: unknown): BlobError {
  const error = readBlobError(cause);
  if (error && isRetryable(error)) return error;
  const { name, message } = Object(cause) as Partial<Error>;
  // WebKit reports a timeout as an abort.
  if (name === 'TimeoutError' || name === 'AbortError')
    return new BlobError('NETWORK_ERROR', 'No token came in time.', { cause });
  if (name === 'TypeError' && !isProgrammerError(cause)) return new BlobError('NETWORK_ERROR', message!, { cause });
  return supplyFailed(error ?? cause);
}

function supplyFailed(cause: unknown): BlobError {
  if (cause instanceof BlobError && cause.code === 'TOKEN_SUPPLY_FAILED') return cause;
  const message = cause instanceof Error ? cause.message : 'The token provider rejected.';
  return new BlobError('TOKEN_SUPPLY_FAILED', `No upload token: ${message}`, { cause });
}
