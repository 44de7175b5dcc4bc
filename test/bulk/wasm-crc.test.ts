// Own process: mocks modules and removes WebAssembly.
import { randomFillSync, randomInt } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { crc32c as crc32cByTable } from '../../src/protocol/checksums/crc32.js';
import { Crc64Nvme } from '../../src/protocol/checksums/crc64nvme.js';

const KiB = 1024;
const BLOCK = 256 * KiB;
const MAX_SIZE = 4 * BLOCK;
/** Sizes around the thresholds of folding, and random ones. */
const SIZES = [0, 1, 15, 70_000, BLOCK, BLOCK + 16 * KiB, BLOCK + 2 * 8420, 3 * BLOCK + 77]
  .concat([16 * KiB, 2 * 8420, BLOCK].flatMap((edge) => [edge - 1, edge, edge + 1]))
  .concat(Array.from({ length: 40 }, () => randomInt(2 * BLOCK)));

/** Loads the module again, so that it looks for WebAssembly again. */
async function load() {
  vi.resetModules();
  return import('../../src/bulk/node/checksums/wasm-crc/index.js');
}

/** Stands in for a processor without SIMD instructions. */
function ModuleWithoutSimd(): never {
  throw new WebAssembly.CompileError('Wasm SIMD unsupported');
}

const PLATFORMS = {
  WebAssembly: () => {},
  'WebAssembly that lacks SIMD': () => {
    const { Memory, CompileError } = WebAssembly;
    vi.stubGlobal('WebAssembly', { Memory, CompileError, Module: ModuleWithoutSimd });
  },
  'no WebAssembly': () => void vi.stubGlobal('WebAssembly', undefined),
};
const MEMORIES = {
  private: () => new Uint8Array(MAX_SIZE),
  shared: () => new Uint8Array(new SharedArrayBuffer(MAX_SIZE)),
};

afterEach(() => vi.unstubAllGlobals());

describe.each(Object.entries(PLATFORMS))('CRCs with %s', (_, setUpPlatform) => {
  describe.each(Object.entries(MEMORIES))('of bytes in %s memory', (_name, allocate) => {
    async function setUp() {
      setUpPlatform();
      const crcs = await load();
      const memory = randomFillSync(allocate());
      const before = memory.slice();
      const slice = (size: number): Uint8Array => {
        const start = randomInt(MAX_SIZE - size);
        return memory.subarray(start, start + size);
      };
      return { ...crcs, slice, isUnchanged: () => before.every((byte, index) => byte === memory[index]) };
    }

    it('equal the CRC32C of the tables from any seed', async () => {
      const { crc32c, slice, isUnchanged } = await setUp();
      for (const size of SIZES) {
        const bytes = slice(size);
        for (const seed of [0, 0xffff_ffff, randomInt(2 ** 32)])
          expect(crc32c(bytes, seed), `${size} bytes at ${bytes.byteOffset} from ${seed}`).toBe(crc32cByTable(bytes, seed));
      }
      expect(isUnchanged()).toBe(true);
    });

    it('equal the CRC64NVME of the tables in any pieces', async () => {
      const { crc64nvme, slice, isUnchanged } = await setUp();
      for (const size of SIZES) {
        const bytes = slice(size);
        const [fast, table] = [crc64nvme(), new Crc64Nvme()];
        const cut = randomInt(size + 1);
        for (const piece of [bytes.subarray(0, cut), bytes.subarray(cut)]) fast.update(piece);
        table.update(bytes);
        expect(fast.digest(), `${size} bytes at ${bytes.byteOffset}, cut at ${cut}`).toEqual(table.digest());
      }
      expect(isUnchanged()).toBe(true);
    });
  });
});

describe('folding', () => {
  it.each([
    ['shortens a block where the platform has SIMD', PLATFORMS.WebAssembly, true],
    ['is skipped where the platform lacks SIMD', PLATFORMS['WebAssembly that lacks SIMD'], false],
  ])('%s', async (_, setUpPlatform, shortens) => {
    setUpPlatform();
    vi.resetModules();
    const { Folding } = await import('../../src/bulk/node/checksums/wasm-crc/folding.js');
    const folded = new Folding([65, 155, 170, 195, 209]).shorten(new Uint8Array(2 * BLOCK), 0);
    if (shortens) {
      expect(folded?.taken).toBe(BLOCK);
      expect(folded?.short.length).toBeLessThan(BLOCK / 100);
    } else expect(folded).toBeUndefined();
  });

  it('keeps every bit significant', async () => {
    const { crc32c, crc64nvme } = await load();
    const crc64 = (bytes: Uint8Array): string => {
      const crc = crc64nvme();
      crc.update(bytes);
      return crc.digest().join();
    };
    const bytes = randomFillSync(new Uint8Array(BLOCK + 100_000));
    const [expected32, expected64] = [crc32c(bytes), crc64(bytes)];
    for (let i = 0; i < 100; i++) {
      const position = randomInt(bytes.length);
      bytes[position]! ^= 1;
      expect([crc32c(bytes) === expected32, crc64(bytes) === expected64], `bit at ${position}`).toEqual([false, false]);
      bytes[position]! ^= 1;
    }
  });

  it('asks once for memory that the platform refuses', async () => {
    const Memory = vi.fn(() => {
      throw new RangeError('could not allocate memory');
    });
    vi.stubGlobal('WebAssembly', { Memory });
    const { crc32c } = await load();
    const bytes = randomFillSync(new Uint8Array(BLOCK));
    for (let i = 0; i < 3; i++) expect(crc32c(bytes)).toBe(crc32cByTable(bytes));
    expect(Memory).toHaveBeenCalledTimes(1);
  });
});
