import { ignoreForbidden } from '../error-kinds.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import { S3Error } from '../errors.js';
import type { Action, Place } from '../types.js';
import { headObject } from './head-object.js';

/**
 * Asked of a place below which nothing was found. @throws S3Error `InvalidOption` where it is an object itself: somebody said the one and
 * meant the other
 * @param instead how it is said of an object
 */
export async function rejectObjectAsPrefix(context: TransferContext, { bucket, prefix }: Place, instead = ''): Promise<void> {
  const key = prefix.replace(/\/$/, '');
  if (key === '' || (await headObject(context, bucket, key).catch(ignoreForbidden)) === undefined) return;
  throw new S3Error('InvalidOption', `${key} is an object, and nothing lies below it${instead}.`);
}

/** Fails a run that found nothing below its prefix, which then is mistyped: folders that are empty are not in a store. A bucket may be. */
export async function reportEmptyPrefix(context: TransferContext, action: Action, place: Place, instead?: string): Promise<void> {
  if (place.prefix === '') return;
  await rejectObjectAsPrefix(context, place, instead);
  context.report.fail(
    action,
    place.prefix,
    new S3Error('NothingThere', `There is nothing below s3://${place.bucket}/${place.prefix}.`),
  );
}

export const OMIT_RECURSIVE = ': leave -r out';
