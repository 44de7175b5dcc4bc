import { checksumHeader, checksumOf, toBase64 } from '../checksums.js';
import { errorFromResponse } from '../response-error.js';
import { S3Error } from '../../errors.js';
import { UNSIGNED_PAYLOAD } from '../sigv4.js';
import type { Store } from '../object-store.js';
import type { HttpResponse } from '../../http/http-client.js';

/** The hashes of one body: those that the store's state asks for. */
export interface BodyHashes {
  /** That of `store.checksum`. */
  checksum: string;
  sha256Hex?: string;
  md5Hex?: string;
}

/** Which hashes a body needs beside its checksum: one whose checksum nobody is known to compare is sent with its MD5. */
export const hashesNeeded = (store: Store): { sha256: boolean; md5: boolean } => ({
  sha256: store.integrity === 'sha256',
  md5: store.integrity === 'md5' || (store.integrity !== 'sha256' && store.confirmsChecksums !== true),
});

export function hashBody(store: Store, body: Uint8Array): BodyHashes {
  const { sha256, md5 } = hashesNeeded(store);
  const hashes: BodyHashes = { checksum: checksumOf(store.digests, store.checksum, body) };
  if (sha256) hashes.sha256Hex = store.digests.sha256Hex(body);
  if (md5) {
    const running = store.digests.md5();
    running.update(body);
    hashes.md5Hex = running.hex();
  }
  return hashes;
}

/** Adds the checksum headers. @returns what to sign as the payload. */
export function addChecksumHeaders(store: Store, headers: Record<string, string>, hashes: BodyHashes): string {
  if (!store.refusesChecksums) {
    headers[checksumHeader(store.checksum)] = hashes.checksum;
    // Some stores check only what is announced here as well.
    headers['x-amz-sdk-checksum-algorithm'] = store.checksum;
  }
  if (hashes.md5Hex !== undefined) headers['content-md5'] = toBase64(fromHex(hashes.md5Hex));
  return hashes.sha256Hex ?? UNSIGNED_PAYLOAD;
}

/**
 * Checks what the response says about the bytes, and learns whether this store compares checksums at all.
 * @throws S3Error `ChecksumMismatch`
 */
export function confirmChecksum(store: Store, response: HttpResponse, hashes: BodyHashes): void {
  const echoed = response.headers[checksumHeader(store.checksum)];
  if (echoed !== undefined && echoed !== hashes.checksum)
    throw new S3Error('ChecksumMismatch', `The store has ${store.checksum} ${echoed}, sent was ${hashes.checksum}.`);
  const { etag } = response.headers;
  if (hashes.md5Hex !== undefined && isMd5(etag) && unquote(etag) !== hashes.md5Hex && !isEncrypted(response.headers))
    throw new S3Error('ChecksumMismatch', `The store has MD5 ${unquote(etag)}, sent was ${hashes.md5Hex}.`);
  const before = store.confirmsChecksums;
  store.confirmsChecksums = echoed !== undefined;
  // Only the checksum protected this body, and this time nobody confirmsChecksums it: the next try brings the MD5.
  if (before === true && echoed === undefined && hashes.sha256Hex === undefined && hashes.md5Hex === undefined)
    throw new S3Error('ChecksumMismatch', 'The store did not confirm the checksum.');
}

const UNKNOWN_HEADER = new Set(['NotImplemented', 'InvalidArgument', 'InvalidRequest', 'XNotImplemented']);

/**
 * Sends something with checksum headers. Where an older store answers that it does not know them, it is remembered, and the
 * error says that the very request is to be made again.
 */
export async function withChecksums<Result>(store: Store, send: () => Promise<Result>): Promise<Result> {
  const sentThem = !store.refusesChecksums;
  try {
    return await send();
  } catch (error) {
    // Once the store has confirmed one, it means something else.
    if (!(error instanceof S3Error) || !sentThem || store.confirmsChecksums === true || !UNKNOWN_HEADER.has(error.code))
      throw error;
    store.refusesChecksums = true;
    throw new S3Error(error.code, error.message, { status: error.status, again: true, cause: error });
  }
}

/** Returns the ETag of a stored object. A success response has no body. @throws S3Error `NotS3`, or the error in the body */
export function storedEtag(response: HttpResponse): string {
  if (response.body.length > 0) throw errorFromResponse(response);
  return etagOf(response.headers['etag']);
}

/** @throws S3Error `NotS3` where there is none: every object has one. */
export function etagOf(header: string | undefined, status = 0): string {
  const etag = unquote(header);
  if (etag !== '') return etag;
  throw new S3Error('NotS3', 'The response has no ETag: it is no store’s, or CORS rules do not expose it.', { status });
}

export const unquote = (etag = ''): string => (etag.startsWith('W/') ? etag.slice(2) : etag).replaceAll('"', '');

/** An ETag that is the MD5 of the object, as far as its form can tell. */
export const isMd5 = (etag: string | undefined): etag is string => etag !== undefined && /^"?[0-9a-f]{32}"?$/i.test(etag);

/** With keys of its own or the customer's, a store's ETags are no hashes of the bytes. */
export const isEncrypted = (headers: Record<string, string>): boolean =>
  headers['x-amz-server-side-encryption']?.startsWith('aws:kms') === true ||
  headers['x-amz-server-side-encryption-customer-algorithm'] !== undefined;

export const fromHex = (hex: string): Uint8Array => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
