import { atLeast, oneOf, whole, wrong } from '../validate.js';
import { refuseUnwritable } from '../s3/commands/properties.js';
import { refuseClosed } from '../journal/resume-journal.js';
import { MULTIPART } from './part-plan.js';
import type { UploadSettings } from '../upload/put-bytes.js';
import type { RunOptions } from './run.js';
import type { Place } from '../types.js';

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

/** What a sync may delete lies in folders, not beside them under names that but begin so. @throws S3Error `InvalidOption` */
export function checkSync({ compare, delete: deletes }: { compare?: string; delete?: boolean }, ...places: Place[]): void {
  oneOf('compare', compare, ['times', 'size', 'checksum']);
  for (const { prefix } of deletes ? places : [])
    if (prefix !== '' && !prefix.endsWith('/')) throw wrong('prefix', prefix, `a folder, as delete needs it: say ${prefix}/`);
}
