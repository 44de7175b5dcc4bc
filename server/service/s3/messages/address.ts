import { S3ServiceError } from '../errors.js';

/** The target of a request: the service (no bucket), a bucket (no key), or an object. */
export interface Address {
  bucket: string | undefined;
  key: string | undefined;
}

const MAX_KEY_BYTES = 1024;

/**
 * Parses path-style (`/bucket/key`) and virtual-host (`bucket.domain/key`) addresses.
 * @param host the Host header. Its port is ignored.
 * @param domains host names of the endpoint, longest first.
 */
export function parseAddress(host: string, path: string, domains: readonly string[]): Address {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  const domain = domains.find((suffix) => name.endsWith(`.${suffix}`));
  const bucket = domain === undefined ? undefined : name.slice(0, -domain.length - 1);
  const rest = path.slice(1);
  if (bucket !== undefined) return { bucket, key: parseKey(rest) };
  const slash = rest.indexOf('/');
  if (slash === -1) return { bucket: rest === '' ? undefined : rest, key: undefined };
  if (slash === 0) throw new S3ServiceError('InvalidURI');
  return { bucket: rest.slice(0, slash), key: parseKey(rest.slice(slash + 1)) };
}

/** @returns undefined for an empty key. @throws S3ServiceError `KeyTooLongError` for more than 1,024 bytes. */
export function parseKey(key: string): string | undefined {
  if (Buffer.byteLength(key) > MAX_KEY_BYTES)
    throw new S3ServiceError('KeyTooLongError', undefined, {
      fields: { Size: String(Buffer.byteLength(key)), MaxSizeAllowed: String(MAX_KEY_BYTES) },
    });
  return key === '' ? undefined : key;
}

/** Checks S3's naming rules for general purpose buckets. */
export function isBucketName(name: string): boolean {
  return (
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name) &&
    !/\.\.|\.-|-\.|^xn--|^sthree-|-s3alias$|--ol-s3$/.test(name) &&
    !/^\d+\.\d+\.\d+\.\d+$/.test(name)
  );
}
