import { createHmac, randomBytes } from 'node:crypto';
import { AttemptLimiter } from '../identity/limits/attempt-limiter.js';
import { networkOf } from '../runtime/ip-addresses.js';
import type { PasswordHasher } from '../identity/users/passwords.js';
import type { Metadata } from '../drivers/metadata/metadata.js';

const MINUTE_MS = 60_000;
/** Wrong passwords for one share. */
const LIMITS = {
  scope: 'share',
  perNetwork: { attempts: 10, windowMs: 15 * MINUTE_MS },
  perTarget: { attempts: 500, windowMs: 60 * MINUTE_MS },
} as const;
/** Correct passwords in the cache. Without it, a folder of pictures would take hundreds of slow comparisons. */
const MAX_CACHED = 10_000;

interface Comparison {
  shareId: string;
  storedHash: string;
  password: string;
  address: string;
}

/**
 * Compares passwords of shares, limits the attempts, and replaces hashes whose parameters are outdated. Equal passwords at the same time are one
 * attempt. A page of pictures therefore does not use up the attempts of its visitor.
 */
export class SharePasswords {
  /** Keys the cache. It exists only in this process, so cache entries reveal nothing about passwords. */
  readonly #key = randomBytes(32);
  readonly #correct = new Set<string>();
  readonly #running = new Map<string, Promise<boolean>>();
  readonly #limiter: AttemptLimiter;

  constructor(
    private readonly metadata: Metadata,
    private readonly hasher: PasswordHasher,
  ) {
    this.#limiter = new AttemptLimiter(metadata, LIMITS);
  }

  /** Hashes the password of a new or changed share. */
  hash(password: string): Promise<string> {
    return this.hasher.hash(password);
  }

  /** Compares a password. @param storedHash from `hash`. @throws `RATE_LIMIT_EXCEEDED` with `details` `{scope: "share", limit, used, retry_after}`. */
  async isCorrect(shareId: string, storedHash: string, password: string, address: string): Promise<boolean> {
    const cacheKey = this.#cacheKey(storedHash, password);
    if (this.#correct.has(cacheKey)) return true;
    const attemptId = `${shareId} ${networkOf(address)} ${cacheKey}`;
    let running = this.#running.get(attemptId);
    if (!running) {
      running = this.#compare({ shareId, storedHash, password, address }).finally(() => this.#running.delete(attemptId));
      this.#running.set(attemptId, running);
    }
    return running;
  }

  /** Identifies a stored hash and a password in the cache without revealing them. */
  #cacheKey(storedHash: string, password: string): string {
    return createHmac('sha256', this.#key).update(`${storedHash}\n${password}`).digest('base64');
  }

  async #compare({ shareId, storedHash, password, address }: Comparison): Promise<boolean> {
    const attempt = await this.#limiter.begin(shareId, address);
    const match = await this.hasher.compare(password, storedHash).catch(async (cause: unknown) => {
      await attempt.uncount();
      throw cause;
    });
    if (!match.isCorrect) return false;
    await attempt.uncount();
    const newHash = match.isOutdated ? await this.#rehash(shareId, storedHash, password) : undefined;
    if (this.#correct.size >= MAX_CACHED) this.#correct.clear();
    for (const hash of [storedHash, ...(newHash === undefined ? [] : [newHash])])
      this.#correct.add(this.#cacheKey(hash, password));
    return true;
  }

  /** Stores a hash with the current parameters, unless the password has changed. If it fails, the next visit tries again. */
  async #rehash(shareId: string, storedHash: string, password: string): Promise<string | undefined> {
    try {
      const password_hash = await this.hasher.hash(password);
      await this.metadata.write((query) =>
        query
          .updateTable('shares')
          .set({ password_hash })
          .where('id', '=', shareId)
          .where('password_hash', '=', storedHash)
          .execute(),
      );
      return password_hash;
    } catch {
      return undefined;
    }
  }
}
