import { checksumHeader, checksumOf, toBase64 } from '../checksums.js';
import { errorFromResponse } from '../response-error.js';
import { S3Error } from '../../errors.js';
import { UNSIGNED_PAYLOAD } from '../sigv4.js';
import type { Store } from '../object-store.js';
import type { HttpResponse } from '../../http/http-client.js';

/** Hashes of one body. `hashesNeeded` decides which of the optional ones are computed. */
export interface BodyHashes {
  /** Checksum of the kind `store.checksum`. */
  checksum: string;
  sha256Hex?: string;
  md5Hex?: string;
}

/** Returns which hashes a body needs besides its checksum. It needs an MD5 until the store has shown that it compares checksums. */
export const hashesNeeded = (store: Store): { sha256: boolean; md5: boolean } => ({
  sha256: store.integrity === 'sha256',
  md5: store.integrity === 'md5' || (store.integrity !== 'sha256' && store.confirmsChecksums !== true),
});

/** Computes the hashes of a body in memory. */
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

/** Adds the checksum headers. @returns the payload hash to sign */
export function addChecksumHeaders(store: Store, headers: Record<string, string>, hashes: BodyHashes): string {
  if (!store.refusesChecksums) {
    headers[checksumHeader(store.checksum)] = hashes.checksum;
    // Some stores compare the checksum only if its algorithm is named.
    headers['x-amz-sdk-checksum-algorithm'] = store.checksum;
  }
  if (hashes.md5Hex !== undefined) headers['content-md5'] = toBase64(fromHex(hashes.md5Hex));
  return hashes.sha256Hex ?? UNSIGNED_PAYLOAD;
}

/**
 * Compares the checksums in the response with those of the body, and learns whether the store returns checksums.
 * @throws S3Error `ChecksumMismatch`
 */
export function confirmChecksum(store: Store, response: HttpResponse, hashes: BodyHashes): void {
  const confirmed = response.headers[checksumHeader(store.checksum)];
  if (confirmed !== undefined && confirmed !== hashes.checksum)
    throw new S3Error('ChecksumMismatch', `The store has ${store.checksum} ${confirmed}; ${hashes.checksum} was sent.`);
  const { etag } = response.headers;
  if (hashes.md5Hex !== undefined && isMd5(etag) && unquote(etag) !== hashes.md5Hex && !isEncrypted(response.headers))
    throw new S3Error('ChecksumMismatch', `The store has MD5 ${unquote(etag)}; ${hashes.md5Hex} was sent.`);
  const confirmedBefore = store.confirmsChecksums;
  store.confirmsChecksums = confirmed !== undefined;
  // Only the checksum protected this body, and the store did not confirm it. The next attempt sends the MD5 too.
  if (confirmedBefore === true && confirmed === undefined && hashes.sha256Hex === undefined && hashes.md5Hex === undefined)
    throw new S3Error('ChecksumMismatch', 'The store did not confirm the checksum.');
}

/** Codes with which older stores refuse unknown headers. */
const UNKNOWN_HEADER_CODES = new Set(['NotImplemented', 'InvalidArgument', 'InvalidRequest', 'XNotImplemented']);

/**
 * Sends a request with checksum headers. If an older store refuses them, remembers that.
 * @throws S3Error with `again` if the request shall be repeated without checksum headers
 */
export async function withChecksums<Result>(store: Store, send: () => Promise<Result>): Promise<Result> {
  const sentChecksums = !store.refusesChecksums;
  try {
    return await send();
  } catch (error) {
    // If the store has confirmed a checksum before, the error has another reason.
    if (
      !(error instanceof S3Error) ||
      !sentChecksums ||
      store.confirmsChecksums === true ||
      !UNKNOWN_HEADER_CODES.has(error.code)
    )
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

/** Returns an ETag without quotes. @throws S3Error `NotS3` if there is none, because every object has one */
export function etagOf(header: string | undefined, status = 0): string {
  const etag = unquote(header);
  if (etag !== '') return etag;
  throw new S3Error(
    'NotS3',
    'The response has no ETag. The server is not an S3 store, or its CORS rules do not expose the header.',
    { status },
  );
}

/** Removes the quotes and the weak prefix of an ETag. */
export const unquote = (etag = ''): string => (etag.startsWith('W/') ? etag.slice(2) : etag).replaceAll('"', '');

/** Returns whether an ETag has the form of an MD5. */
export const isMd5 = (etag: string | undefined): etag is string => etag !== undefined && /^"?[0-9a-f]{32}"?$/i.test(etag);

/** Returns whether an object is encrypted with KMS or customer keys. Its ETag is then not a hash of its bytes. */
export const isEncrypted = (headers: Record<string, string>): boolean =>
  headers['x-amz-server-side-encryption']?.startsWith('aws:kms') === true ||
  headers['x-amz-server-side-encryption-customer-algorithm'] !== undefined;

/** Decodes hexadecimal digits. */
export const fromHex = (hex: string): Uint8Array => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
