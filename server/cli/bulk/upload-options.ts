import { UsageError } from '../errors.js';
import type { UploadOptions } from '../../../src/bulk/upload/upload.js';
import { contentTypeOf } from '../../../src/bulk/upload/content-types.js';
import type { WalkOptions } from '../../../src/bulk/node/files/walk.js';
import type { ObjectProperties } from '../../../src/bulk/types.js';
import type { PropertyFlags, TransferFlags } from './flags.js';
import type { Session } from './session.js';

/** Returns the properties of new objects. @throws UsageError if the flags of encryption contradict each other */
export function objectPropertiesOf(flags: PropertyFlags): ObjectProperties {
  const { storageClass, metadata, cacheControl, contentType, contentDisposition, contentEncoding } = flags;
  const { contentLanguage, expires, acl, sseKmsKeyId, tags } = flags;
  const sse = flags.sse ?? (sseKmsKeyId === undefined ? undefined : 'aws:kms');
  if (sse === 'AES256' && sseKmsKeyId !== undefined) throw new UsageError('--sse-kms-key-id cannot be used with --sse AES256');
  return {
    ...(storageClass !== undefined && { storageClass }),
    ...(metadata !== undefined && { metadata }),
    ...(cacheControl !== undefined && { cacheControl }),
    ...(contentType !== undefined && { contentType }),
    ...(contentDisposition !== undefined && { contentDisposition }),
    ...(contentEncoding !== undefined && { contentEncoding }),
    ...(contentLanguage !== undefined && { contentLanguage }),
    ...(expires !== undefined && { expires }),
    ...(acl !== undefined && { acl }),
    ...(sse !== undefined && { sse }),
    ...(sseKmsKeyId !== undefined && { sseKmsKeyId }),
    ...(tags !== undefined && { tags }),
  };
}

/** Returns the option of `walk` that reports sockets, pipes and devices as skipped. */
export const reportSkippedFiles = ({ runOptions }: Session): Pick<WalkOptions, 'passedOver'> => ({
  passedOver: (name) => runOptions.onEvent?.({ type: 'skipped', action: 'upload', name, reason: 'not a regular file' }),
});

/** Returns the options of an upload. */
export const uploadOptionsOf = (flags: TransferFlags, session: Session): UploadOptions => ({
  ...session.runOptions,
  properties: objectPropertiesOf(flags),
  contentType: contentTypeOf,
  keepTimes: flags.times,
  ...(flags.dryRun && { dryRun: true }),
  ...(flags.partSize !== undefined && { partSize: flags.partSize }),
});
