import * as zlib from 'node:zlib';
import { crc32 } from '../../../protocol/checksums/crc32.js';
import type { Crc32 } from '../../../protocol/checksums/crc32.js';
import type { Crcs } from '../../s3/digests.js';
import { crc32c, crc64nvme, foldedCrc32 } from './wasm-crc/index.js';

/** Came with Node 20.15 and 22.2; an odd build without it gets the portable one. */
const native: Crc32 =
  // zlib answers 0 for an empty buffer, whatever came before it.
  typeof zlib.crc32 === 'function' ? (bytes, seed = 0) => (bytes.length === 0 ? seed : zlib.crc32(bytes, seed)) : crc32;

/** Apart from the hashes, whose module takes some milliseconds to load, and threads need them only where an ETag is compared. */
export const crcs: Crcs = { crc32: foldedCrc32(native), crc32c, crc64nvme };
