// CRCs for Node, two to ten times as fast as tables. Not for pages: their rules may forbid WebAssembly, and tell of every try.
import { crc32c as crc32cByTable } from '../../../../protocol/checksums/crc32.js';
import type { Crc32 } from '../../../../protocol/checksums/crc32.js';
import { Crc64Nvme } from '../../../../protocol/checksums/crc64nvme.js';
import { Folding } from './folding.js';

/** @param byTable goes on from what it is given, for the few bytes that are left */
export const foldedCrc32 = (byTable: Crc32): Crc32 => folded(byTable, [145, 183, 211, 300]);

export const crc32c: Crc32 = folded(crc32cByTable, [65, 155, 170, 195, 209]);

const crc64nvmeFolding = new Folding([518, 596, 810, 956, 1559, 1640, 1988, 2105]);

export const crc64nvme = (): Crc64Nvme => new Crc64Nvme(crc64nvmeFolding);

function folded(byTable: Crc32, words: readonly number[]): Crc32 {
  const folding = new Folding(words);
  return (bytes, seed = 0) => {
    let crc = seed;
    let rest = bytes;
    for (let part; (part = folding.shorten(rest, ~crc)) !== undefined; rest = rest.subarray(part.taken))
      // The register of this CRC is nothing but zeros.
      crc = byTable(part.short, 0xffff_ffff);
    return byTable(rest, crc);
  };
}
