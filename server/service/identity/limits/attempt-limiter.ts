import { sql } from 'kysely';
import { BlobError } from '../../../../src/protocol/errors.js';
import type { Metadata } from '../../drivers/metadata/metadata.js';
import { networkOf } from '../../runtime/ip-addresses.js';

/** Failed attempts that are allowed. The counter expires this long after its last attempt, ms. */
export interface AttemptLimit {
  attempts: number;
  windowMs: number;
}

export interface AttemptLimits {
  /** The field `details.scope` of the error. */
  scope: string;
  /** Attempts of one network on one target. */
  perNetwork: AttemptLimit;
  /** Attempts of all networks on one target. Beyond it, each network has one attempt, so that attackers cannot lock others out. */
  perTarget?: AttemptLimit;
}

/** A counted attempt. */
export interface Attempt {
  /** Uncounts the attempt, because the password was correct or was not compared. */
  uncount(): Promise<void>;
}

/**
 * Limits failed attempts to guess a password. They are counted in the database, for each target and network, so all replicas share the counters.
 *
 * - An attempt is counted before the comparison and uncounted after a correct password. Only 10 of 1,000 parallel attempts are compared.
 * - A window starts with its first attempt, so a burst cannot use the attempts of two windows.
 */
export class AttemptLimiter {
  constructor(
    private readonly metadata: Metadata,
    private readonly limits: AttemptLimits,
  ) {}

  /**
   * Counts an attempt before the password is compared.
   * @param target what the password protects. It appears in the database, so it must not be a secret.
   * @throws `RATE_LIMIT_EXCEEDED` with `details` `{scope, limit, used, retry_after}`.
   */
  async begin(target: string, address: string): Promise<Attempt> {
    const { perNetwork, perTarget } = this.limits;
    const targetId = `guess:${target}`;
    const networkId = `${targetId}:${networkOf(address)}`;
    const limit = perTarget && (await this.#isExhausted(targetId, perTarget.attempts)) ? 1 : perNetwork.attempts;
    const used = await this.#count(networkId, { ...perNetwork, attempts: limit });
    if (used === undefined) throw await this.#tooMany(networkId, limit);
    const isCountedForTarget = perTarget !== undefined && (await this.#count(targetId, perTarget)) !== undefined;
    if (perTarget && !isCountedForTarget && used > 1) {
      await this.#uncount(networkId);
      throw await this.#tooMany(networkId, 1);
    }
    return {
      uncount: async () => {
        await this.#uncount(networkId);
        if (isCountedForTarget) await this.#uncount(targetId);
      },
    };
  }

  async #isExhausted(id: string, attempts: number): Promise<boolean> {
    const row = await this.metadata.db
      .selectFrom('counters')
      .select('used')
      .where('id', '=', id)
      .where('ends_at', '>', this.metadata.clock)
      .executeTakeFirst();
    return row !== undefined && Number(row.used) >= attempts;
  }

  /** @returns the attempts in the window, including this one; undefined if the limit is reached. */
  async #count(id: string, { attempts, windowMs }: AttemptLimit): Promise<number | undefined> {
    const { clock } = this.metadata;
    const ends_at = sql<number>`${clock} + cast(${windowMs} as bigint)`;
    const row = await this.metadata.write(
      (query) =>
        query
          .insertInto('counters')
          .values({ id, used: 1, ends_at })
          .onConflict((conflict) =>
            conflict
              .column('id')
              .doUpdateSet({
                used: sql<number>`case when counters.ends_at <= ${clock} then 1 else counters.used + 1 end`,
                ends_at,
              })
              .where((e) => e.or([e('counters.ends_at', '<=', clock), e('counters.used', '<', attempts)])),
          )
          .returning('used')
          .executeTakeFirst(),
      { durable: false },
    );
    return row && Number(row.used);
  }

  async #uncount(id: string): Promise<void> {
    await this.metadata.write(
      (query) =>
        query
          .updateTable('counters')
          .set((e) => ({ used: e('used', '-', 1) }))
          .where('id', '=', id)
          .where('used', '>', 0)
          .execute(),
      { durable: false },
    );
  }

  async #tooMany(id: string, limit: number): Promise<BlobError> {
    const row = await this.metadata.db
      .selectFrom('counters')
      .select(sql<number>`ends_at - ${this.metadata.clock}`.as('remaining'))
      .where('id', '=', id)
      .executeTakeFirst();
    const retryAfter = Math.max(1, Math.ceil(Number(row?.remaining ?? 0) / 1000));
    return new BlobError('RATE_LIMIT_EXCEEDED', `Too many wrong passwords. Try again in ${Math.ceil(retryAfter / 60)} minutes.`, {
      details: { scope: this.limits.scope, limit, used: limit, retry_after: retryAfter },
    });
  }
}
