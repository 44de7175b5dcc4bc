// SHA-256 in JavaScript, because Web Crypto needs all bytes in memory and is asynchronous. Names follow FIPS 180-4, section 6.2:
// https://csrc.nist.gov/pubs/fips/180-4/upd1/final

export const BLOCK_BYTES = 64;

/** Returns the first 32 bits of the fractional part. */
const fractionBits = (root: number): number => ((root % 1) * 2 ** 32) | 0;

function findPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let number = 2; primes.length < count; number++) if (primes.every((prime) => number % prime !== 0)) primes.push(number);
  return primes;
}

const ROUND_CONSTANTS = Int32Array.from(findPrimes(64), (prime) => fractionBits(Math.cbrt(prime)));
/** The state of a hash without input: eight words of 32 bits. */
export const INITIAL_STATE: Readonly<Int32Array> = Int32Array.from(findPrimes(8), (prime) => fractionBits(Math.sqrt(prime)));

/** The message schedule of the current block. One array for all hashes avoids an allocation per block. */
const schedule = new Int32Array(64);

/** Updates the state with one block of 64 bytes at `offset`. */
export function compressBlock(state: Int32Array, bytes: Uint8Array, offset: number): void {
  for (let i = 0; i < 16; i++) {
    const start = offset + 4 * i;
    schedule[i] = (bytes[start]! << 24) | (bytes[start + 1]! << 16) | (bytes[start + 2]! << 8) | bytes[start + 3]!;
  }
  for (let i = 16; i < 64; i++) {
    const x = schedule[i - 15]!;
    const y = schedule[i - 2]!;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    schedule[i] = (schedule[i - 16]! + s0 + schedule[i - 7]! + s1) | 0;
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + ROUND_CONSTANTS[i]! + schedule[i]!) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
  state[5]! += f;
  state[6]! += g;
  state[7]! += h;
}

const padding = new Uint8Array(2 * BLOCK_BYTES);
const paddingView = new DataView(padding.buffer);

/**
 * Ends a hash with the last bytes of the message and its padding.
 * @param state changed into the hash
 * @param hashedBytes bytes that the state contains already; a multiple of 64
 * @returns `state`
 */
export function finishHash(state: Int32Array, bytes: Uint8Array, hashedBytes: number): Int32Array {
  let offset = 0;
  for (; offset + BLOCK_BYTES <= bytes.length; offset += BLOCK_BYTES) compressBlock(state, bytes, offset);
  const rest = bytes.length - offset;
  const paddedLength = rest < BLOCK_BYTES - 8 ? BLOCK_BYTES : 2 * BLOCK_BYTES;
  padding.fill(0);
  padding.set(bytes.subarray(offset));
  padding[rest] = 0x80;
  const bits = (hashedBytes + bytes.length) * 8;
  paddingView.setUint32(paddedLength - 8, Math.floor(bits / 2 ** 32));
  paddingView.setUint32(paddedLength - 4, bits >>> 0);
  compressBlock(state, padding, 0);
  if (paddedLength > BLOCK_BYTES) compressBlock(state, padding, BLOCK_BYTES);
  return state;
}

/** A SHA-256 over chunks. */
export class Sha256 {
  readonly #state = INITIAL_STATE.slice();
  readonly #buffer = new Uint8Array(BLOCK_BYTES);
  #bufferedBytes = 0;
  #hashedBlocks = 0;

  update(bytes: Uint8Array): this {
    let offset = 0;
    if (this.#bufferedBytes > 0) {
      offset = Math.min(BLOCK_BYTES - this.#bufferedBytes, bytes.length);
      this.#buffer.set(bytes.subarray(0, offset), this.#bufferedBytes);
      this.#bufferedBytes += offset;
      if (this.#bufferedBytes < BLOCK_BYTES) return this;
      compressBlock(this.#state, this.#buffer, 0);
      this.#hashedBlocks++;
    }
    for (; offset + BLOCK_BYTES <= bytes.length; offset += BLOCK_BYTES) {
      compressBlock(this.#state, bytes, offset);
      this.#hashedBlocks++;
    }
    this.#buffer.set(bytes.subarray(offset));
    this.#bufferedBytes = bytes.length - offset;
    return this;
  }

  /** Ends the hash. @returns 64 lower-case hex digits */
  digest(): string {
    const hash = finishHash(this.#state, this.#buffer.subarray(0, this.#bufferedBytes), this.#hashedBlocks * BLOCK_BYTES);
    return Array.from(hash, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  }
}
