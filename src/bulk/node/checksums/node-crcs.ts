import * as zlib from 'node:zlib';
import { crc32 } from '../../../protocol/checksums/crc32.js';
import type { Crc32 } from '../../../protocol/checksums/crc32.js';
import type { Crcs } from '../../s3/digests.js';
import { crc32c, crc64nvme } from './wasm-crc/index.js';

/** `zlib.crc32` came with Node 20.15 and 22.2. It returns 0 for an empty buffer, whatever the seed. */
const nativeCrc32: Crc32 =
  typeof zlib.crc32 === 'function' ? (bytes, seed = 0) => (bytes.length === 0 ? seed : zlib.crc32(bytes, seed)) : crc32;

/** The CRCs of S3 in Node. */
export const nodeCrcs: Crcs = { crc32: nativeCrc32, crc32c, crc64nvme };
