import { S3Error } from '../errors.js';

/** What a request addresses: nothing but the service, a bucket, or an object in it. */
export interface Address {
  bucket: string | undefined;
  key: string | undefined;
}

const KEY_MAX_BYTES = 1024;

/**
 * Splits host and path in the two styles of S3: `/bucket/key`, and `bucket.<one of the domains>` with `/key`.
 * @param host the Host header; its port is not looked at.
 * @param domains the endpoint's own host names; longer ones first where one ends with another.
 */
export function parseAddress(host: string, path: string, domains: readonly string[]): Address {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  const domain = domains.find((one) => name.endsWith(`.${one}`));
  const bucket = domain === undefined ? undefined : name.slice(0, -domain.length - 1);
  const rest = path.slice(1);
  if (bucket !== undefined) return { bucket, key: parseKey(rest) };
  const slash = rest.indexOf('/');
  if (slash === -1) return { bucket: rest === '' ? undefined : rest, key: undefined };
  if (slash === 0) throw new S3Error('InvalidURI');
  return { bucket: rest.slice(0, slash), key: parseKey(rest.slice(slash + 1)) };
}

/** @returns undefined for an empty key. @throws S3Error `KeyTooLongError` over 1,024 bytes. */
export function parseKey(key: string): string | undefined {
  if (Buffer.byteLength(key) > KEY_MAX_BYTES)
    throw new S3Error('KeyTooLongError', undefined, {
      fields: { Size: String(Buffer.byteLength(key)), MaxSizeAllowed: String(KEY_MAX_BYTES) },
    });
  return key === '' ? undefined : key;
}

/** Whether a name can be a bucket's: S3's rules for general purpose buckets. */
export function isBucketName(name: string): boolean {
  return (
    /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name) &&
    !/\.\.|\.-|-\.|^xn--|^sthree-|-s3alias$|--ol-s3$/.test(name) &&
    !/^\d+\.\d+\.\d+\.\d+$/.test(name)
  );
}
