import { assemble, ROUND } from './assemble.js';
import type { XorAtDistances } from './assemble.js';
import { BLOCK, foldingMemory } from './memory.js';

/** Shorter input gains nothing. Bytes. */
const MIN_LENGTH = 16 * 1024;

const roundUp = (bytes: number): number => Math.ceil(bytes / ROUND) * ROUND;

/**
 * Shortens bytes without changing their CRC, by XOR of 16 bytes at once.
 *
 * Every CRC polynomial divides some sparse polynomial x^a + x^b + … + 1. So a byte of weight x^a can be XORed into the bytes of
 * weight x^b, …, 1 that follow it. Applied from the first byte on, this leaves as many bytes as the largest of the distances.
 * The distances were found by search. Squaring such a polynomial keeps the property, so distances in bytes also hold in words.
 * @see S. Russell, "Chorba: A novel CRC32 implementation", https://arxiv.org/abs/2412.16398
 */
export class Folding {
  /** Bytes, ascending. */
  readonly #distances: readonly number[];
  /** The largest distance. */
  readonly #reach: number;
  readonly #minLength: number;
  /** `null` if the platform lacks WebAssembly or SIMD. */
  #xor: XorAtDistances | null | undefined;

  /** @param words distances in words of four bytes, ascending */
  constructor(words: readonly number[]) {
    this.#distances = words.map((word) => word * 4);
    this.#reach = this.#distances.at(-1)!;
    this.#minLength = Math.max(MIN_LENGTH, 2 * this.#reach);
  }

  /**
   * Folds the first block of the bytes.
   * @param low the CRC register, not inverted; `high` is its upper half if it has 64 bits
   * @returns the number of bytes taken, and short bytes that have the same CRC from a zero register, valid until the next call;
   * undefined if folding is impossible or gains nothing
   */
  shorten(bytes: Uint8Array, low: number, high = 0): { taken: number; short: Uint8Array } | undefined {
    if (bytes.length < this.#minLength) return undefined;
    const memory = foldingMemory();
    if (memory === null) return undefined;
    if (this.#xor === undefined) this.#xor = this.#assemble(memory);
    if (this.#xor === null) return undefined;

    const all = new Uint8Array(memory.buffer);
    const taken = Math.min(bytes.length, BLOCK);
    const folded = taken - this.#reach - ((taken - this.#reach) % ROUND);
    // The layout: remaining bytes, zeros, folded bytes, zeros.
    const margin = roundUp(this.#reach + ROUND);
    const first = 2 * margin;
    const end = first + folded;
    all.set(bytes.subarray(folded, taken));
    all.fill(0, margin, first);
    all.fill(0, end, end + margin);
    all.set(bytes.subarray(0, folded), first);
    const register = new DataView(memory.buffer, first, 8);
    register.setInt32(0, register.getInt32(0, true) ^ low, true);
    register.setInt32(4, register.getInt32(4, true) ^ high, true);

    // Nothing precedes the first round, so it stays as it is.
    const start = first + ROUND;
    this.#xor(start, end, start, start);
    this.#xor(0, margin, 0, end);
    return { taken, short: all.subarray(0, taken - folded) };
  }

  #assemble(memory: WebAssembly.Memory): XorAtDistances | null {
    try {
      return assemble(this.#distances, memory);
    } catch {
      return null;
    }
  }
}
