import { S3Error } from '../errors.js';
import { headObject } from '../list/head-object.js';
import { getObjectTagging } from '../s3/commands/get-object-tagging.js';
import type { ObjectHead } from '../s3/commands/head-object.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import type { ObjectProperties } from '../types.js';

interface ObjectRef {
  bucket: string;
  key: string;
}

/** Properties that a store can set without replacing the others. */
const SET_SEPARATELY = new Set<string>([
  'storageClass',
  'acl',
  'sse',
  'sseKmsKeyId',
  'tags',
] satisfies (keyof ObjectProperties)[]);

/**
 * Returns whether the request has to state all properties. Stores replace all of them or none, except those in `SET_SEPARATELY`.
 * @param isSameObject whether the object is copied onto itself
 */
export function mustReplaceProperties(properties: ObjectProperties | undefined, isSameObject: boolean): boolean {
  if (properties === undefined) return false;
  return isSameObject || Object.keys(properties).some((name) => !SET_SEPARATELY.has(name));
}

/** Returns listed properties of the source that stores do not copy. `STANDARD` is the default storage class. */
export const uncopiedProperties = ({ storageClass, websiteRedirect }: ObjectProperties): ObjectProperties => ({
  ...(storageClass !== undefined && storageClass !== 'STANDARD' && { storageClass }),
  ...(websiteRedirect !== undefined && { websiteRedirect }),
});

/** @throws S3Error `NoSuchKey` */
export async function headSource(context: TransferContext, { bucket, key }: ObjectRef): Promise<ObjectHead> {
  const head = await headObject(context, bucket, key);
  if (head === undefined) throw new S3Error('NoSuchKey', `${key} was removed before it could be copied.`);
  return head;
}

/**
 * Returns the properties of the source, replaced by the given ones.
 * @param tags of the source. Left out, a copy in one request keeps them.
 */
export const mergeProperties = (source: ObjectHead, given: ObjectProperties | undefined, tags?: string): ObjectProperties => ({
  ...source.properties,
  ...(tags !== undefined && { tags }),
  ...given,
  metadata: { ...source.metadata, ...given?.metadata },
});

/** Returns the tags that a copy in parts has to state. @returns undefined if the source has none or others are given */
export async function sourceTags(
  context: TransferContext,
  { bucket, key }: ObjectRef,
  source: ObjectHead,
  given: ObjectProperties | undefined,
): Promise<string | undefined> {
  if (source.tags === 0 || given?.tags !== undefined) return undefined;
  return context.executor.request(key, 0, () => getObjectTagging(context.store, { bucket, key, signal: context.signal }));
}
