// Not for pages: a Content-Security-Policy may forbid WebAssembly, and browsers report each attempt.
import { crc32c as crc32cByTable } from '../../../../protocol/checksums/crc32.js';
import type { Crc32 } from '../../../../protocol/checksums/crc32.js';
import { Crc64Nvme } from '../../../../protocol/checksums/crc64nvme.js';
import { Folding } from './folding.js';

const crc32cFolding = new Folding([65, 155, 170, 195, 209]);
const crc64nvmeFolding = new Folding([518, 596, 810, 956, 1559, 1640, 1988, 2105]);

export const crc32c: Crc32 = (bytes, seed = 0) => {
  let crc = seed;
  let rest = bytes;
  for (;;) {
    const folded = crc32cFolding.shorten(rest, ~crc);
    if (folded === undefined) return crc32cByTable(rest, crc);
    // The register of this seed is all zeros.
    crc = crc32cByTable(folded.short, 0xffff_ffff);
    rest = rest.subarray(folded.taken);
  }
};

export const crc64nvme = (): Crc64Nvme => new Crc64Nvme(crc64nvmeFolding);
