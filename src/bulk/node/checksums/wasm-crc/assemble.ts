/** Bytes of one round of the loop. */
export const ROUND = 64;
const VECTOR = 16;

/**
 * Writes to each place in `[to, end)` the bytes at `from`, XORed with the bytes at each distance before `back`. All are offsets
 * into a memory, and `end - to` is a multiple of `ROUND`. If `back` equals `to`, each result feeds later places.
 */
export type XorAtDistances = (to: number, end: number, from: number, back: number) => void;

// The binary format: WebAssembly core specification 2.0, chapter 5.
const MAGIC = [0x00, 0x61, 0x73, 0x6d];
const VERSION = [1, 0, 0, 0];
const TYPE_SECTION = 1;
const IMPORT_SECTION = 2;
const FUNCTION_SECTION = 3;
const EXPORT_SECTION = 7;
const CODE_SECTION = 10;
const I32 = 0x7f;
const LOOP = [0, 0x03, 0x40];
const END = 0x0b;
const V128_XOR = [0xfd, 0x51];
const localGet = (local: number): number[] => [0x20, local];
const v128Load = (offset: number): number[] => [0xfd, 0x00, 0, ...leb128(offset)];
const v128Store = (offset: number): number[] => [0xfd, 0x0b, 0, ...leb128(offset)];
const addRound = (local: number): number[] => [...localGet(local), 0x41, 0xc0, 0x00, 0x6a, 0x21, local];
const repeatWhileBelow = (local: number, end: number): number[] => [...localGet(local), ...localGet(end), 0x49, 0x0d, 0];

/**
 * Assembles `XorAtDistances` for fixed distances: they are part of the instructions, so no compiler can do it ahead of time.
 * @param distances bytes, at least `ROUND`, ascending
 * @throws WebAssembly.CompileError if the platform lacks SIMD instructions
 */
export function assemble(distances: readonly number[], memory: WebAssembly.Memory): XorAtDistances {
  // Instructions take no negative offset, so the pointer starts this many bytes earlier.
  const reach = distances.at(-1)!;
  const vector = (offset: number): number[] => [
    ...localGet(0),
    ...localGet(2),
    ...v128Load(offset),
    ...distances.flatMap((distance) => [...localGet(3), ...v128Load(reach - distance + offset), ...V128_XOR]),
    ...v128Store(offset),
  ];
  const vectors = Array.from({ length: ROUND / VECTOR }, (_, index) => vector(index * VECTOR)).flat();
  const body = [...LOOP, ...vectors, ...[0, 2, 3].flatMap(addRound), ...repeatWhileBelow(0, 1), END, END];
  const code = Uint8Array.of(
    ...MAGIC,
    ...VERSION,
    ...section(TYPE_SECTION, [0x60, 4, I32, I32, I32, I32, 0]),
    ...section(IMPORT_SECTION, [...name('env'), ...name('memory'), 2, 0, 1]),
    ...section(FUNCTION_SECTION, [0]),
    ...section(EXPORT_SECTION, [...name('xor'), 0, 0]),
    ...section(CODE_SECTION, withSize(body)),
  );
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(code), { env: { memory } });
  const xor = exports['xor'] as XorAtDistances;
  return (to, end, from, back) => xor(to, end, from, back - reach);
}

/** Encodes a section with one item. */
const section = (id: number, item: number[]): number[] => [id, ...withSize([1, ...item])];
const name = (text: string): number[] => withSize([...text].map((letter) => letter.charCodeAt(0)));
const withSize = (bytes: number[]): number[] => [...leb128(bytes.length), ...bytes];

/** Encodes an unsigned integer. */
const leb128 = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...leb128(value >>> 7)]);
