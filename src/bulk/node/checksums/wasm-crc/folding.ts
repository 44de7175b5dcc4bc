import { assemble, GRAIN } from './assemble.js';
import type { AddUp } from './assemble.js';
import { BLOCK, memoryOf } from './memory.js';

const roundUp = (bytes: number): number => Math.ceil(bytes / GRAIN) * GRAIN;

/**
 * Makes bytes short without changing their CRC, by XOR alone, 16 bytes at once: two to ten times as fast as tables, and no way leads to a
 * processor's own instruction for it.
 *
 * Any polynomial divides some sums of few powers, x^a + x^b + … + 1. So a byte that weighs x^a may be XORed instead to the places, farther
 * on, that weigh x^b, …, 1. Done from the first byte on, this leaves as many bytes as the greatest of these distances.
 * Source: S. Russell, "Chorba: A novel CRC32 implementation", https://arxiv.org/abs/2412.16398. The distances were found by trial. As such a
 * sum may be squared, numbers that do for bytes do for words of four as well, whose vectors are read faster.
 */
export class Folding {
  readonly #distances: readonly number[];
  /** The greatest of them. Bytes. */
  readonly #reach: number;
  /** Fewer bytes are not worth it. */
  readonly #least: number;
  /** `null` where the platform has no such instructions. */
  readonly #made = new WeakMap<WebAssembly.Memory, AddUp | null>();

  /** @param words distances in words of four bytes, the greatest last */
  constructor(words: readonly number[]) {
    this.#distances = words.map((word) => word * 4);
    this.#reach = this.#distances.at(-1)!;
    this.#least = Math.max(16 * 1024, 2 * this.#reach);
  }

  /**
   * @param low the register, not inverted; `high` its upper half if it has 64 bits
   * @returns how many of the bytes were taken, and, until the next call, short ones whose CRC from a register of zeros is theirs;
   * undefined where there is nothing to win
   */
  shorten(bytes: Uint8Array, low: number, high = 0): { taken: number; short: Uint8Array } | undefined {
    if (bytes.length < this.#least) return undefined;
    const memory = memoryOf(bytes);
    const addUp = memory && this.#codeFor(memory);
    if (!addUp) return undefined;
    const all = new Uint8Array(memory.buffer);
    const taken = Math.min(bytes.length, BLOCK);
    const folded = taken - this.#reach - ((taken - this.#reach) % GRAIN);
    // In a row: what is left, nothing, what is folded, nothing.
    const room = roundUp(this.#reach + GRAIN);
    const first = 2 * room;
    const end = first + folded;
    all.set(bytes.subarray(folded, taken));
    all.fill(0, room, first);
    all.fill(0, end, end + room);
    const there = bytes.buffer === memory.buffer;
    all.set(bytes.subarray(0, there ? GRAIN : folded), first);
    const register = new DataView(memory.buffer, first, 8);
    register.setInt32(0, register.getInt32(0, true) ^ low, true);
    register.setInt32(4, register.getInt32(4, true) ^ high, true);
    // The first round has nothing before it.
    const start = first + GRAIN;
    addUp(start, end, there ? bytes.byteOffset + GRAIN : start, start);
    addUp(0, room, 0, end);
    return { taken, short: all.subarray(0, taken - folded) };
  }

  #codeFor(memory: WebAssembly.Memory): AddUp | null {
    let made = this.#made.get(memory);
    if (made !== undefined) return made;
    try {
      made = assemble(this.#distances, memory);
    } catch {
      made = null;
    }
    this.#made.set(memory, made);
    return made;
  }
}
