import { BlobError, isRetryable } from '../../protocol/errors.js';
import { drawable, shorten } from '../../protocol/display-text.js';
import type { ChosenFile } from '../../protocol/types.js';
import { isProgrammerError } from './programmer-error.js';
import { readToken, TOKEN_TIMEOUT } from './read-token.js';
import type { UploadToken } from './read-token.js';
import type { TokenProvider, TokenReason } from '../types.js';
import { abortable } from '../tasks.js';

/** Longest message of a page's own code (UTF-16 units) that is logged. */
const LOGGED_MAX = 500;

export interface SupplyOptions {
  provider: TokenProvider;
  endpoint: string;
}

export interface SupplyHooks {
  /** The files that wait for a token, at most as many as one token can carry. */
  filesNeedingToken(): ChosenFile[];
  onToken(token: UploadToken): void;
  /** Resolves when the browser is online. */
  untilOnline(signal: AbortSignal): Promise<void>;
}

/** Hands out uses of tokens. However many files wait, one token is asked for at a time. */
export class TokenSupply {
  #current: UploadToken | undefined;
  #flight: { promise: Promise<UploadToken>; controller: AbortController } | undefined;
  #waiting = 0;
  #failed = false;
  /** Tokens of the present provider and address. */
  #own = new WeakSet<UploadToken>();

  constructor(
    private options: SupplyOptions,
    private readonly hooks: SupplyHooks,
  ) {}

  /** How many files one token carries, as far as that is known. */
  get usesPerToken(): number {
    return this.#current?.maxUses ?? Number.POSITIVE_INFINITY;
  }

  /** Another provider or address makes the present token, and one that is under way, a stranger's. @returns whether it is another */
  configure(options: SupplyOptions): boolean {
    const { provider, endpoint } = this.options;
    this.options = options;
    if (options.provider === provider && options.endpoint === endpoint) return false;
    // Who waits for it asks the new one.
    this.#flight?.controller.abort();
    this.#current = this.#flight = undefined;
    this.#own = new WeakSet();
    this.#failed = false;
    return true;
  }

  /** Whether a token came from the present provider, for the present address. */
  isCurrentSource(token: UploadToken): boolean {
    return this.#own.has(token);
  }

  /**
   * Sets uses aside for up to `wanted` files.
   * @returns the token and how many of them it can carry, at least one
   * @throws BlobError `TOKEN_SUPPLY_FAILED`, or what may pass as it came; the signal's reason when it is aborted
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
      await this.#join(signal);
    }
  }

  /** Gives back a use of a file that was definitely not stored. */
  returnUse(token: UploadToken): void {
    token.usesLeft++;
  }

  /** The service refused the token, whatever we thought of it. */
  markRefused(token: UploadToken): void {
    token.isRefused = true;
  }

  destroy(): void {
    this.#flight?.controller.abort();
    this.#current = undefined;
  }

  /** Waits for the one request under way, and ends it when nobody waits any more. */
  async #join(signal: AbortSignal): Promise<void> {
    const flight = (this.#flight ??= this.#depart());
    this.#waiting++;
    try {
      await abortable(flight.promise, signal);
    } catch (cause) {
      if (!flight.controller.signal.aborted) throw cause;
    } finally {
      if (--this.#waiting === 0 && this.#flight === flight) {
        this.#flight = undefined;
        flight.controller.abort();
      }
    }
  }

  #depart() {
    const controller = new AbortController();
    const reason = this.#reason();
    // A microtask later every file that starts in this turn is among those that wait.
    const promise = Promise.resolve()
      .then(() => this.#fetch(reason, controller))
      .then(
        (token) => {
          this.#failed = false;
          if (this.#flight?.controller !== controller) return token;
          this.#current = token;
          this.#own.add(token);
          this.hooks.onToken(token);
          return token;
        },
        (error: unknown) => {
          if (!controller.signal.aborted) {
            this.#failed = true;
            // People read that they may not upload; whoever made the page has to learn why.
            console.warn('<svc-uploader>:', shorten(drawable((error as Error).message, ' '), LOGGED_MAX));
          }
          throw error;
        },
      )
      .finally(() => {
        if (this.#flight?.controller === controller) this.#flight = undefined;
      });
    return { promise, controller };
  }

  #reason(): TokenReason {
    const token = this.#current;
    if (this.#failed) return 'retry';
    if (!token) return 'start';
    if (token.isRefused) return 'invalid';
    return token.usesLeft > 0 ? 'expiring' : 'exhausted';
  }

  async #fetch(reason: TokenReason, controller: AbortController): Promise<UploadToken> {
    const { signal } = controller;
    const refused = this.#current;
    try {
      await this.hooks.untilOnline(signal);
      const files = this.hooks.filesNeedingToken();
      // A page may remove its files in the task that added them. Then no file waits, although the removed ones have not left yet.
      if (files.length === 0) controller.abort();
      signal.throwIfAborted();
      // Who never answers is asked anew, as after any other outage.
      const patience = AbortSignal.any([signal, AbortSignal.timeout(TOKEN_TIMEOUT)]);
      const asked = this.options.provider({ files, reason, signal: patience });
      const token = await readToken(await abortable(asked, patience), this.options.endpoint, patience);
      if (token.usesLeft < 1) {
        const details = { max_files: token.maxUses };
        throw new BlobError('TOKEN_SUPPLY_FAILED', 'No upload token: the one supplied has no uses left.', { details });
      }
      if (refused?.isRefused && refused.isSame(token)) throw failed(new Error('The token supplied was refused before.'));
      return token;
    } catch (cause) {
      signal.throwIfAborted();
      throw asSupplyError(cause);
    }
  }
}

/** What can pass (no network, 429, 5xx) stays what it is, so that it is asked again later; anything else is the provider's last word. */
function asSupplyError(cause: unknown): BlobError {
  if (cause instanceof BlobError && isRetryable(cause)) return cause;
  const { name, message } = Object(cause) as Partial<Error>;
  // It took too long, which WebKit calls an abort.
  if (name === 'TimeoutError' || name === 'AbortError')
    return new BlobError('NETWORK_ERROR', 'No token came in time.', { cause });
  if (name === 'TypeError' && !isProgrammerError(cause)) return new BlobError('NETWORK_ERROR', message!, { cause });
  return failed(cause);
}

function failed(cause: unknown): BlobError {
  if (cause instanceof BlobError && cause.code === 'TOKEN_SUPPLY_FAILED') return cause;
  const said = cause instanceof Error ? cause.message : 'The token provider rejected.';
  return new BlobError('TOKEN_SUPPLY_FAILED', `No upload token: ${said}`, { cause });
}
