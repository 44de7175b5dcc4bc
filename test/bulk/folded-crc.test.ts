import { randomFillSync, randomInt } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { crc32, crc32c } from '../../src/protocol/checksums/crc32.js';
import { Crc64Nvme } from '../../src/protocol/checksums/crc64nvme.js';

const KiB = 1024;
const BLOCK = 256 * KiB;
const MOST = 4 * BLOCK;
const SIZES = [0, 1, 15, 70_000, BLOCK, BLOCK + 16 * KiB, BLOCK + 2 * 8420, 3 * BLOCK + 77]
  .concat([16 * KiB, 2 * 8420, BLOCK].flatMap((edge) => [edge - 1, edge, edge + 1]))
  .concat(Array.from({ length: 40 }, () => randomInt(2 * BLOCK)));

/** Anew, with what this platform has at the time. */
async function load() {
  vi.resetModules();
  const [index, memory] = await Promise.all([
    import('../../src/bulk/node/checksums/wasm-crc/index.js'),
    import('../../src/bulk/node/checksums/wasm-crc/memory.js'),
  ]);
  return { ...index, ...memory };
}

afterEach(() => vi.unstubAllGlobals());

/** What a processor without such instructions says. */
function NoModule(): never {
  throw new WebAssembly.CompileError('Wasm SIMD unsupported');
}

describe.each(['with WebAssembly', 'with a lesser one', 'without'])('folded CRCs, %s,', (how) => {
  /** Where bodies lie: by themselves, shared with another thread, and where they are folded without a copy. */
  describe.each(['plain', 'shared', 'own'] as const)('in %s memory', (kind) => {
    async function setUp() {
      const { Memory, CompileError } = WebAssembly;
      const lesser = { Memory, CompileError, Module: NoModule };
      if (how !== 'with WebAssembly') vi.stubGlobal('WebAssembly', how === 'without' ? undefined : lesser);
      const folded = await load();
      const all = {
        plain: () => new Uint8Array(MOST),
        shared: () => new Uint8Array(new SharedArrayBuffer(MOST)),
        own: () => folded.sharedMemory(MOST),
      }[kind]();
      expect(all.length).toBe(MOST);
      randomFillSync(all);
      const before = all.slice();
      const take = (size: number): Uint8Array => {
        const at = randomInt(MOST - size);
        return all.subarray(at, at + size);
      };
      const place = (bytes: Uint8Array): string => `${bytes.length} bytes at ${bytes.byteOffset}`;
      return { folded, take, place, unchanged: () => before.every((byte, at) => byte === all[at]) };
    }

    it('are made of what is shortened, where that can be', async () => {
      const { folded, take } = await setUp();
      const seen: number[] = [];
      const crc = folded.foldedCrc32((bytes, seed) => {
        seen.push(bytes.length);
        return crc32(bytes, seed);
      });
      crc(take(2 * BLOCK));
      if (how === 'with WebAssembly') expect(Math.max(...seen)).toBeLessThan(BLOCK / 100);
      else expect(seen).toEqual([2 * BLOCK]);
    });

    it('of 32 bits are those of the tables, from any seed', async () => {
      const { folded, take, place, unchanged } = await setUp();
      const pairs = [
        [folded.foldedCrc32(crc32), crc32],
        [folded.crc32c, crc32c],
      ] as const;
      for (const [fast, table] of pairs)
        for (const size of SIZES) {
          const bytes = take(size);
          for (const seed of [0, 0xffff_ffff, randomInt(2 ** 32)])
            expect(fast(bytes, seed), `${place(bytes)} from ${seed}`).toBe(table(bytes, seed));
        }
      expect(unchanged()).toBe(true);
    });

    it('of 64 bits are those of the tables, in any pieces', async () => {
      const { folded, take, place, unchanged } = await setUp();
      for (const size of SIZES) {
        const bytes = take(size);
        const [fast, table] = [folded.crc64nvme(), new Crc64Nvme()];
        const cut = randomInt(size + 1);
        for (const piece of [bytes.subarray(0, cut), bytes.subarray(cut)]) fast.update(piece);
        table.update(bytes);
        expect(fast.digest(), `${place(bytes)} cut at ${cut}`).toEqual(table.digest());
      }
      expect(unchanged()).toBe(true);
    });
  });
});

it('folded CRCs tell a changed bit at any place', async () => {
  const { crc32c: fast, crc64nvme } = await load();
  const long = (bytes: Uint8Array): string => {
    const crc = crc64nvme();
    crc.update(bytes);
    return crc.digest().join();
  };
  const bytes = randomFillSync(new Uint8Array(BLOCK + 100_000));
  const [short, whole] = [fast(bytes), long(bytes)];
  for (let i = 0; i < 100; i++) {
    const at = randomInt(bytes.length);
    bytes[at]! ^= 1;
    expect([fast(bytes) === short, long(bytes) === whole], `${at}`).toEqual([false, false]);
    bytes[at]! ^= 1;
  }
});

it('memory that cannot be had is asked for once', async () => {
  const Memory = vi.fn(() => {
    throw new RangeError('could not allocate memory');
  });
  vi.stubGlobal('WebAssembly', { Memory });
  const { crc32c: fast } = await load();
  const bytes = randomFillSync(new Uint8Array(BLOCK));
  for (let i = 0; i < 3; i++) expect(fast(bytes)).toBe(crc32c(bytes));
  expect(Memory).toHaveBeenCalledTimes(1);
});
