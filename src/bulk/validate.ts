import type { StoreOptions } from './s3/store-options.js';
import { S3Error } from './errors.js';
import type { Credentials, Place } from './types.js';

/** @throws S3Error `InvalidOption` */
export function validateStoreOptions<Options extends Pick<StoreOptions, 'endpoint' | 'credentials' | 'client'>>(
  options: Options,
): Options {
  const { endpoint, credentials, client } = (options ?? {}) as Partial<Options>;
  if (credentials === undefined && client === undefined)
    throw new S3Error('InvalidOption', "credentials: say keys, a function that answers with keys, or 'anonymous'.");
  if (endpoint !== undefined && !/^https?:$/.test(URL.canParse(endpoint) ? new URL(endpoint).protocol : ''))
    throw invalidOption(
      'endpoint',
      endpoint,
      `an address: say ${endpoint.includes('://') ? 'http:// or https://' : `http://${endpoint}`}`,
    );
  return options;
}

/** Checks the credentials that a provider returned. @throws S3Error `CredentialsMissing` */
export function validateCredentials(answer: Credentials | undefined): Credentials {
  const { accessKeyId, secretAccessKey, expiration } = answer ?? ({} as Partial<Credentials>);
  if (!accessKeyId || !secretAccessKey || (expiration !== undefined && !(expiration instanceof Date)))
    throw new S3Error(
      'CredentialsMissing',
      'The answer has to hold accessKeyId and secretAccessKey; expiration, if any, is a Date.',
    );
  return answer!;
}

/** More than S3 allows in a name, as other stores do; nothing that would lead elsewhere. */
const BUCKET = /^(?!\.\.?$)[\w.:-]+$/;

/** @throws S3Error `InvalidOption` */
export function validatePlace(place: Place): Place {
  const { bucket, prefix } = (place ?? {}) as Partial<Place>;
  if (typeof bucket !== 'string' || !BUCKET.test(bucket)) throw invalidOption('bucket', bucket, 'the name of a bucket');
  if (typeof prefix !== 'string') throw invalidOption('prefix', prefix, "a text: '' means all of the bucket");
  return place;
}

/** @throws S3Error `InvalidOption` */
export function requireInteger(field: string, value: number | undefined, min: number, max: number): void {
  if (value === undefined || value === max || (Number.isSafeInteger(value) && value >= min && value <= max)) return;
  throw invalidOption(field, value, max === Infinity ? `a whole number from ${min} on` : `a whole number from ${min} to ${max}`);
}

/** @throws S3Error `InvalidOption` */
export function requireAtLeast(field: string, value: number | undefined, min: number): void {
  if (value !== undefined && !(typeof value === 'number' && value >= min))
    throw invalidOption(field, value, `a number from ${min} on`);
}

/** @throws S3Error `InvalidOption` */
export function requireOneOf(field: string, value: string | undefined, known: readonly string[]): void {
  if (value !== undefined && !known.includes(value)) throw invalidOption(field, value, `one of ${known.join(', ')}`);
}

export const invalidOption = (field: string, value: unknown, right: string): S3Error =>
  new S3Error('InvalidOption', `${field}: ${String(value)} is not ${right}.`);
