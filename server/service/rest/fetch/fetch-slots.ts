import { platformError } from '../../../../src/protocol/platform-errors.js';
import { RETRY_AFTER_SECONDS } from '../../runtime/retry-after.js';

export interface FetchLimits {
  perAccount: number;
  total: number;
}

/** Fetches that run at once in this process. */
export const FETCH_LIMITS: FetchLimits = { perAccount: 4, total: 32 };

/** Limits how many fetches run at once. */
export class FetchSlots {
  #total = 0;
  readonly #byAccount = new Map<string, number>();

  constructor(private readonly limits: FetchLimits = FETCH_LIMITS) {}

  /** Takes a slot. @returns a function that gives it back. @throws `FETCH_LIMIT_REACHED` */
  take(accountId: string): () => void {
    const ofAccount = this.#byAccount.get(accountId) ?? 0;
    if (ofAccount >= this.limits.perAccount) throw limitReached('account', this.limits.perAccount);
    if (this.#total >= this.limits.total) throw limitReached('service', this.limits.total);
    this.#total += 1;
    this.#byAccount.set(accountId, ofAccount + 1);
    return () => {
      this.#total -= 1;
      const left = this.#byAccount.get(accountId)! - 1;
      if (left === 0) this.#byAccount.delete(accountId);
      else this.#byAccount.set(accountId, left);
    };
  }
}

const limitReached = (scope: 'account' | 'service', limit: number) =>
  platformError('FETCH_LIMIT_REACHED', `${limit} fetches of the ${scope} run already. Try again.`, {
    details: { scope, limit, retry_after: RETRY_AFTER_SECONDS },
  });
