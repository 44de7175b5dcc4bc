/**
 * Combines the CRCs of two byte strings into the CRC of their concatenation. The first CRC is multiplied by x^(8 · length of the
 * second) modulo the polynomial. All values are reflected: the highest bit is the coefficient of x^0.
 * @see https://github.com/madler/zlib/blob/develop/crc32.c for the same method in `crc32_combine`
 */
export class CrcCombiner {
  readonly #width: number;
  readonly #polynomial: bigint;
  /** The power of the last length. Most parts have the same length. */
  #power: { length: number; value: bigint } | undefined;

  /** @param width bits of the CRC. @param polynomial reflected. */
  constructor(width: number, polynomial: bigint) {
    this.#width = width;
    this.#polynomial = polynomial;
  }

  /** @param secondLength bytes. @returns the CRC of the concatenation. */
  combine(first: bigint, second: bigint, secondLength: number): bigint {
    if (this.#power?.length !== secondLength) this.#power = { length: secondLength, value: this.#computePower(secondLength) };
    return this.#multiply(this.#power.value, first) ^ second;
  }

  /** Multiplies two polynomials modulo the polynomial of the CRC. */
  #multiply(a: bigint, b: bigint): bigint {
    let product = 0n;
    let shifted = b;
    for (let bit = this.#width - 1; bit >= 0; bit--) {
      if ((a >> BigInt(bit)) & 1n) product ^= shifted;
      shifted = shifted & 1n ? (shifted >> 1n) ^ this.#polynomial : shifted >> 1n;
    }
    return product;
  }

  /** Computes x^(8 · length) by repeated squaring. */
  #computePower(length: number): bigint {
    let result = 1n << BigInt(this.#width - 1);
    let square = 1n << BigInt(this.#width - 9);
    for (let remaining = length; remaining > 0; remaining = Math.floor(remaining / 2)) {
      if (remaining % 2 === 1) result = this.#multiply(result, square);
      square = this.#multiply(square, square);
    }
    return result;
  }
}
