import { refuseUnwritable } from '../commands/properties.js';
import { S3Error } from '../errors.js';
import { refuseClosed } from '../journal.js';
import { MULTIPART } from '../plan.js';
import type { UploadSettings } from './put-bytes.js';
import type { RunOptions } from './run.js';

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

function whole(field: string, value: number | undefined, min: number, max: number): void {
  if (value === undefined || value === max || (Number.isSafeInteger(value) && value >= min && value <= max)) return;
  throw wrong(field, value, max === Infinity ? `a whole number from ${min} on` : `a whole number from ${min} to ${max}`);
}

function atLeast(field: string, value: number | undefined, min: number): void {
  if (value !== undefined && !(typeof value === 'number' && value >= min)) throw wrong(field, value, `a number from ${min} on`);
}

const wrong = (field: string, value: unknown, right: string): S3Error =>
  new S3Error('InvalidOption', `${field}: ${String(value)} is not ${right}.`);
