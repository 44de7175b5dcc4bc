import { createHmac, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { BlobError } from '../../../src/protocol/errors.js';
import { networkOf } from '../identity/ip-addresses.js';
import type { Metadata } from '../drivers/metadata/metadata.js';
import { isPassword } from './passwords.js';

/** Wrong passwords that one network may send for one share. */
const NETWORK_LIMIT = 10;
/** The counter of a network expires this long after its last attempt. */
const NETWORK_WINDOW_MS = 15 * 60_000;
/** Wrong passwords for one share from all networks. Beyond it, each network has one attempt. */
const SHARE_LIMIT = 500;
/** The counter of a share expires this long after its last attempt. */
const SHARE_WINDOW_MS = 60 * 60_000;
/** Correct passwords in the cache. Without it, a folder of pictures would take hundreds of slow comparisons. */
const MAX_CACHED = 10_000;

interface Attempt {
  shareId: string;
  /** The counter of the network. */
  counterId: string;
  /** Identifies the share and the password in the cache without revealing them. */
  cacheKey: string;
  storedHash: string;
  password: string;
}

/**
 * Compares passwords of shares and limits the attempts. Wrong passwords are counted in the database, for each share and network, so all replicas
 * share the counters.
 *
 * - An attempt is counted before the comparison and uncounted after a correct password. Of 1,000 parallel attempts, 10 are compared.
 * - A window starts with its first attempt, so a burst cannot use the attempts of two windows.
 * - Equal passwords at the same time are one attempt. A page of pictures therefore does not use up the attempts of its visitor.
 * - All networks together are limited too. Beyond this limit each network keeps one attempt, so that attackers cannot lock visitors out.
 */
export class SharePasswords {
  /** Keys the cache. It exists only in this process, so cache entries reveal nothing about passwords. */
  readonly #key = randomBytes(32);
  readonly #correct = new Set<string>();
  readonly #running = new Map<string, Promise<boolean>>();

  constructor(private readonly metadata: Metadata) {}

  /** Compares a password. @param storedHash from `hashPassword`. @throws `RATE_LIMIT_EXCEEDED` with `details` `{scope: "share", limit, used, retry_after}`. */
  async isCorrect(shareId: string, storedHash: string, password: string, address: string): Promise<boolean> {
    const cacheKey = createHmac('sha256', this.#key).update(`${storedHash}\n${password}`).digest('base64');
    if (this.#correct.has(cacheKey)) return true;
    const counterId = `guess:${shareId}:${networkOf(address)}`;
    const attemptId = `${counterId} ${cacheKey}`;
    let running = this.#running.get(attemptId);
    if (!running) {
      const attempt = { shareId, counterId, cacheKey, storedHash, password };
      running = this.#compare(attempt).finally(() => this.#running.delete(attemptId));
      this.#running.set(attemptId, running);
    }
    return running;
  }

  async #compare({ shareId, counterId, cacheKey, storedHash, password }: Attempt): Promise<boolean> {
    const shareCounterId = `guess:${shareId}`;
    const limit = (await this.#isExhausted(shareCounterId)) ? 1 : NETWORK_LIMIT;
    const used = await this.#countAttempt(counterId, limit, NETWORK_WINDOW_MS);
    if (used === undefined) throw await this.#tooManyAttempts(counterId, limit);
    const isCountedForShare = (await this.#countAttempt(shareCounterId, SHARE_LIMIT, SHARE_WINDOW_MS)) !== undefined;
    if (!isCountedForShare && used > 1) {
      await this.#uncountAttempt(counterId);
      throw await this.#tooManyAttempts(counterId, 1);
    }
    if (!(await isPassword(password, storedHash))) return false;
    await this.#uncountAttempt(counterId);
    if (isCountedForShare) await this.#uncountAttempt(shareCounterId);
    if (this.#correct.size >= MAX_CACHED) this.#correct.clear();
    this.#correct.add(cacheKey);
    return true;
  }

  async #isExhausted(shareCounterId: string): Promise<boolean> {
    const row = await this.metadata.db
      .selectFrom('counters')
      .select('used')
      .where('id', '=', shareCounterId)
      .where('ends_at', '>', this.metadata.clock)
      .executeTakeFirst();
    return row !== undefined && Number(row.used) >= SHARE_LIMIT;
  }

  /** @returns the attempts in the window, including this one; undefined if the limit is reached. */
  async #countAttempt(id: string, limit: number, window: number): Promise<number | undefined> {
    const { clock } = this.metadata;
    const ends_at = sql<number>`${clock} + cast(${window} as bigint)`;
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
              .where((e) => e.or([e('counters.ends_at', '<=', clock), e('counters.used', '<', limit)])),
          )
          .returning('used')
          .executeTakeFirst(),
      { durable: false },
    );
    return row && Number(row.used);
  }

  async #uncountAttempt(id: string): Promise<void> {
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

  async #tooManyAttempts(id: string, limit: number): Promise<BlobError> {
    const row = await this.metadata.db
      .selectFrom('counters')
      .select(sql<number>`ends_at - ${this.metadata.clock}`.as('remaining'))
      .where('id', '=', id)
      .executeTakeFirst();
    const retryAfter = Math.max(1, Math.ceil(Number(row?.remaining ?? 0) / 1000));
    return new BlobError('RATE_LIMIT_EXCEEDED', `Too many wrong passwords. Try again in ${Math.ceil(retryAfter / 60)} minutes.`, {
      details: { scope: 'share', limit, used: limit, retry_after: retryAfter },
    });
  }
}
