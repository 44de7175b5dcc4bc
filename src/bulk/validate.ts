import type { StoreOptions } from './s3/store-options.js';
import { S3Error } from './errors.js';
import type { Credentials, Place } from './types.js';

/** @throws S3Error `InvalidOption` */
export function validateStoreOptions<Options extends Pick<StoreOptions, 'endpoint' | 'credentials' | 'client'>>(
  options: Options,
): Options {
  const { endpoint, credentials, client } = (options ?? {}) as Partial<Options>;
  if (credentials === undefined && client === undefined)
    throw new S3Error(
      'InvalidOption',
      "credentials: must be a key pair, a function that returns one, or 'anonymous'; got nothing.",
    );
  if (endpoint !== undefined && !isHttpUrl(endpoint)) {
    const example = endpoint.includes('://') ? '' : `, such as http://${endpoint}`;
    throw invalidOption('endpoint', endpoint, `an address that begins with http:// or https://${example}`);
  }
  return options;
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** Checks the credentials that a provider returned. @throws S3Error `CredentialsMissing` */
export function validateCredentials(credentials: Credentials | undefined): Credentials {
  const { accessKeyId, secretAccessKey, expiration } = credentials ?? ({} as Partial<Credentials>);
  if (!accessKeyId || !secretAccessKey || (expiration !== undefined && !(expiration instanceof Date)))
    throw new S3Error(
      'CredentialsMissing',
      'The credential provider must return accessKeyId and secretAccessKey, and expiration as a Date if it is set.',
    );
  return credentials!;
}

/** Allows more than AWS, as other stores do, but nothing that changes the path or host of a request. */
const BUCKET_NAME = /^(?!\.\.?$)[\w.:-]+$/;

/** @throws S3Error `InvalidOption` */
export function validatePlace(place: Place): Place {
  const { bucket, prefix } = (place ?? {}) as Partial<Place>;
  if (typeof bucket !== 'string' || !BUCKET_NAME.test(bucket)) throw invalidOption('bucket', bucket, 'the name of a bucket');
  if (typeof prefix !== 'string') throw invalidOption('prefix', prefix, "a string ('' for the whole bucket)");
  return place;
}

/** @throws S3Error `InvalidOption` */
export function requireInteger(field: string, value: number | undefined, min: number, max: number): void {
  if (value === undefined || value === max || (Number.isSafeInteger(value) && value >= min && value <= max)) return;
  throw invalidOption(
    field,
    value,
    max === Infinity ? `a whole number of ${min} or more` : `a whole number from ${min} to ${max}`,
  );
}

/** @throws S3Error `InvalidOption` */
export function requireAtLeast(field: string, value: number | undefined, min: number): void {
  if (value !== undefined && !(typeof value === 'number' && value >= min))
    throw invalidOption(field, value, `a number of ${min} or more`);
}

/** @throws S3Error `InvalidOption` */
export function requireOneOf(field: string, value: string | undefined, known: readonly string[]): void {
  if (value !== undefined && !known.includes(value)) throw invalidOption(field, value, `one of ${known.join(', ')}`);
}

/** @param rule noun phrase that completes "must be" */
export const invalidOption = (field: string, value: unknown, rule: string): S3Error =>
  new S3Error('InvalidOption', `${field}: must be ${rule}; got ${String(value)}.`);
