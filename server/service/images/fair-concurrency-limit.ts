export interface FairConcurrencyLimits {
  /** Jobs that run at the same time. */
  maxRunning: number;
  /** Jobs of one account that run at the same time. A lower value than `maxRunning` keeps places free for other accounts. */
  maxRunningPerAccount: number;
  /** Jobs that may wait for their turn. */
  maxWaiting: number;
  /** Jobs of one account that may run or wait. */
  maxPerAccount: number;
  /** Creates the error for a job that finds no place. */
  busy: () => Error;
}

interface AccountJobs {
  running: number;
  /** Functions that start the waiting jobs. */
  waiting: (() => void)[];
}

/**
 * Runs few jobs at the same time. A free place goes to the account with the fewest running jobs, and among these to the one that has waited
 * longest since its last job began or ended. Thus the many jobs of one account do not delay those of the others. The jobs of one account run
 * in order.
 */
export class FairConcurrencyLimit {
  readonly #limits: FairConcurrencyLimits;
  /** Accounts with jobs. The account whose job began or ended last is at the end. */
  readonly #accounts = new Map<string, AccountJobs>();
  #running = 0;
  #waiting = 0;

  constructor(limits: FairConcurrencyLimits) {
    this.#limits = limits;
  }

  /** Runs a job when it is its turn. @throws the error of `busy`, the reason of the signal if it aborts before, or what the job throws. */
  async run<T>(accountId: string, job: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const account = this.#accounts.get(accountId) ?? { running: 0, waiting: [] };
    if (account.running + account.waiting.length >= this.#limits.maxPerAccount) throw this.#limits.busy();
    if (this.#isFull(account)) await this.#enterQueue(accountId, account, signal);
    else this.#begin(accountId, account);
    try {
      return await job();
    } finally {
      this.#end(accountId, account);
    }
  }

  #isFull({ running }: AccountJobs): boolean {
    return this.#running >= this.#limits.maxRunning || running >= this.#limits.maxRunningPerAccount;
  }

  #enterQueue(accountId: string, account: AccountJobs, signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiting >= this.#limits.maxWaiting) throw this.#limits.busy();
    this.#accounts.set(accountId, account);
    this.#waiting += 1;
    return new Promise((resolve, reject) => {
      const start = () => {
        this.#waiting -= 1;
        signal?.removeEventListener('abort', leave);
        this.#begin(accountId, account);
        resolve();
      };
      const leave = () => {
        this.#waiting -= 1;
        account.waiting.splice(account.waiting.indexOf(start), 1);
        this.#forgetIfIdle(accountId, account);
        reject(signal!.reason as Error);
      };
      signal?.addEventListener('abort', leave, { once: true });
      account.waiting.push(start);
    });
  }

  #begin(accountId: string, account: AccountJobs): void {
    this.#running += 1;
    account.running += 1;
    this.#moveToEnd(accountId, account);
  }

  #end(accountId: string, account: AccountJobs): void {
    this.#running -= 1;
    account.running -= 1;
    this.#moveToEnd(accountId, account);
    this.#nextAccount()?.waiting.shift()!();
    this.#forgetIfIdle(accountId, account);
  }

  #moveToEnd(accountId: string, account: AccountJobs): void {
    this.#accounts.delete(accountId);
    this.#accounts.set(accountId, account);
  }

  /** Finds the account whose job begins next. */
  #nextAccount(): AccountJobs | undefined {
    let next: AccountJobs | undefined;
    for (const account of this.#accounts.values()) {
      if (account.waiting.length === 0 || this.#isFull(account)) continue;
      if (next === undefined || account.running < next.running) next = account;
    }
    return next;
  }

  #forgetIfIdle(accountId: string, account: AccountJobs): void {
    if (account.running === 0 && account.waiting.length === 0) this.#accounts.delete(accountId);
  }
}
