import { listBuckets } from '../s3/commands/list-buckets.js';
import { isOutage, S3Error, toS3Error } from '../errors.js';
import { sleep } from './abort.js';
import type { Run } from './run.js';

/** A store that is away for less is not worth a word. Milliseconds. */
const SAY_AFTER = 2000;

/**
 * Tells a store that is away from a request that fails by itself. A connection that broke says nothing of it: the store is asked, once
 * for all requests, something that concerns no file; and while it does not answer, they wait together.
 */
export class Outage {
  /** How many there were. */
  count = 0;
  #waiting: Promise<boolean> | undefined;

  constructor(private readonly run: Pick<Run, 'store' | 'signal' | 'retries' | 'emit'>) {}

  /**
   * @param before `count` when the request began
   * @returns whether the store was away meanwhile, and is back: the request has not failed by itself.
   * @throws S3Error `StoreAway` when it did not come back within `RetryOptions.patience`
   */
  async outlasted(failure: S3Error, before: number): Promise<boolean> {
    if (this.run.retries.patience === 0 || !isOutage(failure)) return false;
    return this.count !== before || (this.#waiting ??= this.#outlast(failure).finally(() => (this.#waiting = undefined)));
  }

  async #outlast(last: S3Error): Promise<boolean> {
    const { retries, signal } = this.run;
    const began = performance.now();
    for (let said = false, turn = 0; ; turn++) {
      if (await this.#answers()) {
        if (turn > 0) this.count++;
        return turn > 0;
      }
      const waited = performance.now() - began;
      // Said of one file, and the end of the run: the others would only wait as long.
      if (waited > retries.patience)
        throw new S3Error('StoreAway', `The store answers nobody any more: ${last.message}`, { cause: last });
      if (!said && waited > SAY_AFTER) {
        said = true;
        this.run.emit({ type: 'waiting', code: last.code, message: last.message });
      }
      await sleep((0.5 + Math.random()) * Math.min(5000, 250 + waited / 4), signal);
    }
  }

  /** Whatever it answers: it may allow nobody to ask. */
  #answers(): Promise<boolean> {
    const { store, signal } = this.run;
    return listBuckets(store, signal).then(
      () => true,
      (refusal: unknown) => !isOutage(toS3Error(refusal)),
    );
  }
}
