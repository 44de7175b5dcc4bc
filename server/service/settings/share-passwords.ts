import { createHmac, randomBytes } from 'node:crypto';
import { BlobError } from '../../../src/protocol/errors.js';
import { networkOf } from '../accounts/addresses.js';
import { addToCounter } from '../limits/counters.js';
import type { Metadata } from '../metadata/metadata.js';
import { isPassword } from './passwords.js';

/** Wrong passwords that one address may send to one share in a window. */
const LIMIT = 10;
const WINDOW = 15 * 60_000;
/** Right passwords remembered, so that a folder of pictures costs one slow comparison and not hundreds. */
const REMEMBERED_MAX = 10_000;

interface Try {
  /** Of the counter, which ends at `end`. */
  id: string;
  end: number;
  /** Tells this password for this share apart from others, and nothing of either. */
  known: string;
  stored: string;
  password: string;
}

/**
 * Compares the passwords of shares, and lets nobody try many: wrong ones are counted for each share and address in the database, so that
 * all replicas count alike. A try is counted before it is judged and given back when it was right: of a thousand at once, ten are judged.
 * Equal ones at once are one try, or a page of pictures would use up the tries of who knows the password.
 */
export class SharePasswords {
  /** Of this process alone: what is remembered tells nothing of the passwords. */
  readonly #key = randomBytes(32);
  readonly #right = new Set<string>();
  readonly #judging = new Map<string, Promise<boolean>>();

  constructor(
    private readonly metadata: Metadata,
    private readonly now: () => number,
  ) {}

  /** @param stored as `hashPassword` made it. @throws `RATE_LIMIT_EXCEEDED` with `details` `{scope: "share", limit, used, retry_after}`. */
  async isRight(shareId: string, stored: string, password: string, address: string): Promise<boolean> {
    const known = createHmac('sha256', this.#key).update(`${stored}\n${password}`).digest('base64');
    if (this.#right.has(known)) return true;
    const end = this.now() - (this.now() % WINDOW) + WINDOW;
    const id = `guess:${shareId}:${networkOf(address)}:${end}`;
    const asked = `${id} ${known}`;
    let judging = this.#judging.get(asked);
    if (!judging) {
      judging = this.#judge({ id, end, known, stored, password }).finally(() => this.#judging.delete(asked));
      this.#judging.set(asked, judging);
    }
    return judging;
  }

  async #judge({ id, end, known, stored, password }: Try): Promise<boolean> {
    const used = await addToCounter(this.metadata, id, end, 1);
    if (used > LIMIT) throw this.#tooMany(end);
    if (!(await isPassword(password, stored))) return false;
    await addToCounter(this.metadata, id, end, -1);
    if (this.#right.size >= REMEMBERED_MAX) this.#right.clear();
    this.#right.add(known);
    return true;
  }

  #tooMany(end: number): BlobError {
    const retryAfter = Math.max(1, Math.ceil((end - this.now()) / 1000));
    return new BlobError('RATE_LIMIT_EXCEEDED', `Too many wrong passwords. Try again in ${Math.ceil(retryAfter / 60)} minutes.`, {
      details: { scope: 'share', limit: LIMIT, used: LIMIT, retry_after: retryAfter },
    });
  }
}
