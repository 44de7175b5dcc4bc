import { createHmac, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { BlobError } from '../../../src/protocol/errors.js';
import { networkOf } from '../identity/ip-addresses.js';
import type { Metadata } from '../drivers/metadata/metadata.js';
import { isPassword } from './passwords.js';

/** Wrong passwords that one network may send to one share before it must pause. */
const LIMIT = 10;
/** The pause: tries are forgotten this long after the last one that was judged. ms. */
const WINDOW = 15 * 60_000;
/** Wrong passwords from all networks that one share takes before each network has a single try. */
const SHARE_LIMIT = 500;
/** These are forgotten this long after the last one that was counted. ms. */
const SHARE_WINDOW = 60 * 60_000;
/** Right passwords remembered, so that a folder of pictures costs one slow comparison and not hundreds. */
const REMEMBERED_MAX = 10_000;

interface Try {
  shareId: string;
  /** Of the counter. */
  id: string;
  /** Tells this password for this share apart from others, and nothing of either. */
  known: string;
  stored: string;
  password: string;
}

/**
 * Compares the passwords of shares and bounds how many can be tried. Wrong passwords are counted for each share and network in the database, by
 * the database's clock, so that all replicas count alike. A try is counted before it is judged and given back when the password was right: of a
 * thousand tries at once, ten are judged. The count starts with the first try, not at a full quarter of an hour, so a burst never gets the tries of
 * two windows. Equal passwords at the same time are one try; otherwise a page of pictures would use up the tries of a visitor who
 * knows the password.
 *
 * All networks together are bounded too. A share that got many wrong passwords is not closed, because anyone could close it then: each network
 * keeps one try.
 */
export class SharePasswords {
  /** Of this process alone: what is remembered tells nothing of the passwords. */
  readonly #key = randomBytes(32);
  readonly #right = new Set<string>();
  readonly #judging = new Map<string, Promise<boolean>>();

  constructor(private readonly metadata: Metadata) {}

  /** @param stored as `hashPassword` made it. @throws `RATE_LIMIT_EXCEEDED` with `details` `{scope: "share", limit, used, retry_after}`. */
  async isRight(shareId: string, stored: string, password: string, address: string): Promise<boolean> {
    const known = createHmac('sha256', this.#key).update(`${stored}\n${password}`).digest('base64');
    if (this.#right.has(known)) return true;
    const id = `guess:${shareId}:${networkOf(address)}`;
    const asked = `${id} ${known}`;
    let judging = this.#judging.get(asked);
    if (!judging) {
      judging = this.#judge({ shareId, id, known, stored, password }).finally(() => this.#judging.delete(asked));
      this.#judging.set(asked, judging);
    }
    return judging;
  }

  async #judge({ shareId, id, known, stored, password }: Try): Promise<boolean> {
    const ofShare = `guess:${shareId}`;
    const limit = (await this.#isUsedUp(ofShare)) ? 1 : LIMIT;
    const used = await this.#takeTry(id, limit, WINDOW);
    if (used === undefined) throw await this.#tooMany(id, limit);
    const isCounted = (await this.#takeTry(ofShare, SHARE_LIMIT, SHARE_WINDOW)) !== undefined;
    if (!isCounted && used > 1) {
      await this.#giveTryBack(id);
      throw await this.#tooMany(id, 1);
    }
    if (!(await isPassword(password, stored))) return false;
    await this.#giveTryBack(id);
    if (isCounted) await this.#giveTryBack(ofShare);
    if (this.#right.size >= REMEMBERED_MAX) this.#right.clear();
    this.#right.add(known);
    return true;
  }

  async #isUsedUp(ofShare: string): Promise<boolean> {
    const row = await this.metadata.db
      .selectFrom('counters')
      .select('used')
      .where('id', '=', ofShare)
      .where('ends_at', '>', this.metadata.clock)
      .executeTakeFirst();
    return row !== undefined && Number(row.used) >= SHARE_LIMIT;
  }

  /** @returns how many are used; undefined when none is left. */
  async #takeTry(id: string, limit: number, window: number): Promise<number | undefined> {
    const { clock } = this.metadata;
    const ends_at = sql<number>`${clock} + cast(${window} as bigint)`;
    const taken = await this.metadata.write(
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
    return taken && Number(taken.used);
  }

  async #giveTryBack(id: string): Promise<void> {
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
      .select(sql<number>`ends_at - ${this.metadata.clock}`.as('left'))
      .where('id', '=', id)
      .executeTakeFirst();
    const retryAfter = Math.max(1, Math.ceil(Number(row?.left ?? 0) / 1000));
    return new BlobError('RATE_LIMIT_EXCEEDED', `Too many wrong passwords. Try again in ${Math.ceil(retryAfter / 60)} minutes.`, {
      details: { scope: 'share', limit, used: limit, retry_after: retryAfter },
    });
  }
}
