import { requireOpen } from '../journal/resume-journal.js';
import { validateProperties } from '../s3/commands/properties.js';
import type { ObjectProperties } from '../types.js';
import { requireAtLeast, requireInteger } from '../validate.js';
import { MULTIPART } from './part-plan.js';
import type { RunOptions } from './run-options.js';

/** Options of uploads, which arrive with the others. */
interface PartOptions {
  partSize?: number;
  multipartThreshold?: number;
  properties?: ObjectProperties;
}

/** Checks the options of a method before the first request. @throws S3Error `InvalidOption` */
export function validateRunOptions(options: RunOptions & PartOptions): void {
  const { retry = {}, journal } = options;
  requireInteger('concurrency', options.concurrency, 1, 1024);
  requireInteger('maxConcurrency', options.maxConcurrency, 1, 1024);
  requireInteger('partSize', options.partSize, 1, MULTIPART.maxPart);
  requireInteger('multipartThreshold', options.multipartThreshold, 0, MULTIPART.maxObject);
  requireInteger('retry.tries', retry.tries, 1, Infinity);
  requireAtLeast('memory', options.memory, 1);
  for (const name of ['baseDelay', 'maxDelay', 'budget', 'patience'] as const) requireAtLeast(`retry.${name}`, retry[name], 0);
  validateProperties(options.properties);
  if (journal !== undefined) requireOpen(journal);
}
