import { refuseUnwritable } from '../commands/properties.js';
import { S3Error } from '../errors.js';
import { refuseClosed } from '../journal.js';
import { MULTIPART } from '../plan.js';
import type { UploadSettings } from './put-bytes.js';
import type { RunOptions } from './run.js';
import type { StoreOptions } from '../store.js';
import type { Credentials, Place } from '../types.js';

type Checked = RunOptions & Partial<Pick<UploadSettings, 'partSize' | 'multipartThreshold' | 'properties'>>;

/** What a caller says in code, as the commands look at their flags. @throws S3Error `InvalidOption`, before anything is asked of the store */
export function checkOptions(options: Checked): void {
  const { retry = {}, journal } = options;
  whole('concurrency', options.concurrency, 1, 1024);
  whole('maxConcurrency', options.maxConcurrency, 1, 1024);
  whole('partSize', options.partSize, 1, MULTIPART.maxPart);
  whole('multipartThreshold', options.multipartThreshold, 0, MULTIPART.maxObject);
  whole('retry.tries', retry.tries, 1, Infinity);
  atLeast('memory', options.memory, 1);
  for (const name of ['baseDelay', 'maxDelay', 'budget', 'patience'] as const) atLeast(`retry.${name}`, retry[name], 0);
  refuseUnwritable(options.properties);
  if (journal !== undefined) refuseClosed(journal);
}

/** @throws S3Error `InvalidOption` */
export function checkedStore<Options extends Pick<StoreOptions, 'endpoint' | 'credentials' | 'client'>>(
  options: Options,
): Options {
  const { endpoint, credentials, client } = (options ?? {}) as Partial<Options>;
  if (credentials === undefined && client === undefined)
    throw new S3Error('InvalidOption', "credentials: say keys, a function that answers with keys, or 'anonymous'.");
  if (endpoint !== undefined && !/^https?:$/.test(URL.canParse(endpoint) ? new URL(endpoint).protocol : ''))
    throw wrong(
      'endpoint',
      endpoint,
      `an address: say ${endpoint.includes('://') ? 'http:// or https://' : `http://${endpoint}`}`,
    );
  return options;
}

/** What a provider answered. @throws S3Error `CredentialsMissing` */
export function checkedCredentials(answer: Credentials | undefined): Credentials {
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
export function checkedPlace(place: Place): Place {
  const { bucket, prefix } = (place ?? {}) as Partial<Place>;
  if (typeof bucket !== 'string' || !BUCKET.test(bucket)) throw wrong('bucket', bucket, 'the name of a bucket');
  if (typeof prefix !== 'string') throw wrong('prefix', prefix, "a text: '' means all of the bucket");
  return place;
}

/** What a sync may delete lies in folders, not beside them under names that but begin so. @throws S3Error `InvalidOption` */
export function checkFolders(...places: Place[]): void {
  for (const { prefix } of places)
    if (prefix !== '' && !prefix.endsWith('/')) throw wrong('prefix', prefix, `a folder, as delete needs it: say ${prefix}/`);
}

function whole(field: string, value: number | undefined, min: number, max: number): void {
  if (value === undefined || value === max || (Number.isSafeInteger(value) && value >= min && value <= max)) return;
  throw wrong(field, value, max === Infinity ? `a whole number from ${min} on` : `a whole number from ${min} to ${max}`);
}

function atLeast(field: string, value: number | undefined, min: number): void {
  if (value !== undefined && !(typeof value === 'number' && value >= min)) throw wrong(field, value, `a number from ${min} on`);
}

const wrong = (field: string, value: unknown, right: string): S3Error =>
  new S3Error('InvalidOption', `${field}: ${String(value)} is not ${right}.`);
