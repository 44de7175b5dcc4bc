/** What one round takes. Bytes. */
export const GRAIN = 64;
const VECTOR = 16;

/**
 * To each place from `to` to `end`, puts what stands at the places from `from` on, and adds (XOR) what stands at each of the distances before
 * the places from `back` on. Where that is `to`, what came of one place counts for the next. Offsets into a memory, in whole rounds of `GRAIN`.
 */
export type AddUp = (to: number, end: number, from: number, back: number) => void;

// Source: WebAssembly core specification 2.0, chapter 5 (binary format).
const I32 = 0x7f;
const LOOP = [0, 0x03, 0x40];
const END = 0x0b;
const MAGIC = [0x00, 0x61, 0x73, 0x6d];
const VERSION = [1, 0, 0, 0];
const XOR = [0xfd, 0x51];
const get = (local: number): number[] => [0x20, local];
const load = (offset: number): number[] => [0xfd, 0x00, 0, ...leb128(offset)];
const store = (offset: number): number[] => [0xfd, 0x0b, 0, ...leb128(offset)];
const advance = (local: number): number[] => [...get(local), 0x41, 0xc0, 0x00, 0x6a, 0x21, local];
const againBelow = (local: number, end: number): number[] => [...get(local), ...get(end), 0x49, 0x0d, 0];
const PAGES_MOST = 65_536;

/**
 * Written in the binary format here, because the distances are part of the instructions.
 * @param distances bytes, from `GRAIN` up; the greatest comes last
 * @throws WebAssembly.CompileError where there are no instructions for 16 bytes at once
 */
export function assemble(distances: readonly number[], memory: WebAssembly.Memory): AddUp {
  // Instructions know no negative offsets: the pointer stands so far before the place that is meant.
  const reach = distances.at(-1)!;
  const steps = Array.from({ length: GRAIN / VECTOR }, (_, step) => step * VECTOR);
  const step = (at: number): number[] => [
    ...get(0),
    ...get(2),
    ...load(at),
    ...distances.flatMap((distance) => [...get(3), ...load(reach - distance + at), ...XOR]),
    ...store(at),
  ];
  const loop = [...LOOP, ...steps.flatMap(step), ...[0, 2, 3].flatMap(advance), ...againBelow(0, 1), END, END];
  const limits = memory.buffer instanceof ArrayBuffer ? [0, 1] : [3, 1, ...leb128(PAGES_MOST)];
  const code = Uint8Array.of(
    ...MAGIC,
    ...VERSION,
    ...section(1, [0x60, 4, I32, I32, I32, I32, 0]),
    ...section(2, [...name('here'), ...name('memory'), 2, ...limits]),
    ...section(3, [0]),
    ...section(7, [...name('addUp'), 0, 0]),
    ...section(10, sized(loop)),
  );
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(code), { here: { memory } });
  const addUp = exports['addUp'] as AddUp;
  return (to, end, from, back) => addUp(to, end, from, back - reach);
}

/** One item alone. */
const section = (id: number, item: number[]): number[] => [id, ...sized([1, ...item])];
const name = (text: string): number[] => sized([...text].map((letter) => letter.charCodeAt(0)));
const sized = (bytes: number[]): number[] => [...leb128(bytes.length), ...bytes];

/** Unsigned. */
const leb128 = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...leb128(value >>> 7)]);
