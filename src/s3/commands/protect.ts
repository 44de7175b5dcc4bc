import { crcHeader, toBase64 } from '../checksum.js';
import { S3Error } from '../errors.js';
import { UNSIGNED_PAYLOAD } from '../sigv4.js';
import type { Store } from '../store.js';
import type { WireAnswer } from '../wire.js';

/** The hashes of one body: those that the store's state asks for. */
export interface BodyHashes {
  crc32: number;
  sha256Hex?: string;
  md5Hex?: string;
}

/** Which hashes a body needs before it is sent. */
export const hashesNeeded = (store: Store): { sha256: boolean; md5: boolean } => ({
  md5: store.integrity === 'md5',
  sha256: store.integrity === 'sha256' || (store.integrity === 'auto' && store.echoesCrc !== true),
});

export function hashBody(store: Store, body: Uint8Array): BodyHashes {
  const { sha256, md5 } = hashesNeeded(store);
  const hashes: BodyHashes = { crc32: store.digests.crc32(body) };
  if (sha256) hashes.sha256Hex = store.digests.sha256Hex(body);
  if (md5) {
    const running = store.digests.md5();
    running.update(body);
    hashes.md5Hex = running.hex();
  }
  return hashes;
}

/** Adds the checksum headers. @returns what to sign as the payload. */
export function protect(store: Store, headers: Record<string, string>, hashes: BodyHashes): string {
  if (!store.refusesCrc) {
    headers['x-amz-checksum-crc32'] = crcHeader(hashes.crc32);
    // Some stores check only what is announced here as well.
    headers['x-amz-sdk-checksum-algorithm'] = 'CRC32';
  }
  if (hashes.md5Hex !== undefined) headers['content-md5'] = toBase64(fromHex(hashes.md5Hex));
  return hashes.sha256Hex ?? UNSIGNED_PAYLOAD;
}

/**
 * Checks what the answer says about the bytes, and learns whether this store checks CRC32 at all.
 * @throws S3Error `ChecksumMismatch`
 */
export function confirm(store: Store, answer: WireAnswer, hashes: BodyHashes): void {
  const echoed = answer.headers['x-amz-checksum-crc32'];
  if (echoed !== undefined && echoed !== crcHeader(hashes.crc32))
    throw new S3Error('ChecksumMismatch', `The store has CRC32 ${echoed}, sent was ${crcHeader(hashes.crc32)}.`);
  const { etag } = answer.headers;
  if (
    hashes.md5Hex !== undefined &&
    isMd5(etag) &&
    unquote(etag) !== hashes.md5Hex &&
    answer.headers['x-amz-server-side-encryption'] === undefined
  )
    throw new S3Error('ChecksumMismatch', `The store has MD5 ${unquote(etag)}, sent was ${hashes.md5Hex}.`);
  const before = store.echoesCrc;
  store.echoesCrc = echoed !== undefined;
  // Only the CRC32 protected this body, and this time nobody confirms it: the next try signs the payload.
  if (before === true && echoed === undefined && hashes.sha256Hex === undefined && hashes.md5Hex === undefined)
    throw new S3Error('ChecksumMismatch', 'The store did not confirm the checksum.');
}

/** An older store answered that it does not know the checksum headers. @returns true when a try without them is due. */
export function refusal(store: Store, error: unknown): boolean {
  const known =
    error instanceof S3Error && ['NotImplemented', 'InvalidArgument', 'InvalidRequest', 'XNotImplemented'].includes(error.code);
  if (!known || store.refusesCrc || store.echoesCrc !== undefined) return false;
  store.refusesCrc = true;
  return true;
}

export const unquote = (etag: string | undefined): string => (etag ?? '').replaceAll(/^(?:W\/)?"?|"$/g, '');

/** An ETag that is the MD5 of the object, as far as its form can tell. */
export const isMd5 = (etag: string | undefined): etag is string => etag !== undefined && /^"?[0-9a-f]{32}"?$/i.test(etag);

export const fromHex = (hex: string): Uint8Array => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
