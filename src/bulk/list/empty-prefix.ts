import { ignoreForbidden } from '../error-kinds.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import { S3Error } from '../errors.js';
import type { Action, Place } from '../types.js';
import { headObject } from './head-object.js';

/**
 * Explains a prefix below which nothing was found.
 * @param instead advice that completes the message
 * @throws S3Error `InvalidOption` if the prefix is the key of an object
 */
export async function rejectObjectAsPrefix(context: TransferContext, { bucket, prefix }: Place, instead = ''): Promise<void> {
  const key = prefix.replace(/\/$/, '');
  if (key === '' || (await headObject(context, bucket, key).catch(ignoreForbidden)) === undefined) return;
  throw new S3Error('InvalidOption', `${key} is an object, not a prefix${instead}.`);
}

/**
 * Reports a failure if nothing was found below a prefix. The prefix is probably mistyped, because stores have no empty folders.
 * A bucket may be empty.
 */
export async function reportEmptyPrefix(context: TransferContext, action: Action, place: Place, instead?: string): Promise<void> {
  if (place.prefix === '') return;
  await rejectObjectAsPrefix(context, place, instead);
  context.report.fail(
    action,
    place.prefix,
    new S3Error('NothingThere', `There is nothing below s3://${place.bucket}/${place.prefix}.`),
  );
}

/** Advice for a recursive command on one object. Completes a message. */
export const OMIT_RECURSIVE = ': leave -r out';
