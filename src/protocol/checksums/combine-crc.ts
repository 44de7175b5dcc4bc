/**
 * The CRC of two byte strings after one another, from the CRC of each and the length of the second: the first is moved up by
 * multiplying it with x^(8 * length) modulo the polynomial. All values reflected, as CRCs are written.
 */
export class CrcCombiner {
  readonly #width: number;
  readonly #polynomial: bigint;
  /** Parts are nearly always of one length, so the last power is remembered. */
  #power: { length: number; value: bigint } | undefined;

  constructor(width: number, polynomial: bigint) {
    this.#width = width;
    this.#polynomial = polynomial;
  }

  combine(first: bigint, second: bigint, secondLength: number): bigint {
    if (this.#power?.length !== secondLength) this.#power = { length: secondLength, value: this.#powerOf(secondLength) };
    return this.#multiply(this.#power.value, first) ^ second;
  }

  /** Reflected: the highest bit is the coefficient of x^0. */
  #multiply(a: bigint, b: bigint): bigint {
    let product = 0n;
    let shifted = b;
    for (let bit = this.#width - 1; bit >= 0; bit--) {
      if ((a >> BigInt(bit)) & 1n) product ^= shifted;
      shifted = shifted & 1n ? (shifted >> 1n) ^ this.#polynomial : shifted >> 1n;
    }
    return product;
  }

  /** x^(8 * length). */
  #powerOf(length: number): bigint {
    let result = 1n << BigInt(this.#width - 1);
    let square = 1n << BigInt(this.#width - 9);
    for (let left = length; left > 0; left = Math.floor(left / 2)) {
      if (left % 2 === 1) result = this.#multiply(result, square);
      square = this.#multiply(square, square);
    }
    return result;
  }
}
