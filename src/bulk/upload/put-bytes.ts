import type { UploadSettings, UploadedFile } from './upload-settings.js';
import { ignoreForbidden } from '../error-kinds.js';
import type { TransferContext } from '../transfer/transfer-context.js';
import { checksumOf } from '../s3/checksums.js';
import type { ObjectHead } from '../s3/commands/head-object.js';
import { requireHeaderValue } from '../s3/commands/properties.js';
import { putObject } from '../s3/commands/put-object.js';
import type { S3Error } from '../errors.js';
import { fileMetadata } from '../s3/file-metadata.js';
import type { ObjectProperties } from '../types.js';
import { headObject } from '../list/head-object.js';
import { hashBuffered } from '../transfer/part-hashes.js';

/** Uploads bytes in memory in one request. @returns undefined if `onlyNew` found another object */
export async function putBytes(
  context: TransferContext,
  key: string,
  body: Uint8Array,
  properties: ObjectProperties,
  settings: UploadSettings,
): Promise<UploadedFile | undefined> {
  const { store } = context;
  const progress = context.meter.trackFile(key, body.length);
  let attempts = 0;
  try {
    const send = async (onSent: (bytes: number) => void): Promise<string> => {
      attempts++;
      const hashing = hashBuffered(store, body);
      const hashes = hashing instanceof Promise ? await hashing : hashing;
      return putObject(store, {
        bucket: settings.bucket,
        key,
        body,
        hashes,
        properties,
        ...(settings.onlyNew && { onlyNew: true }),
        signal: context.signal,
        onSent,
      });
    };
    const etag = await context.executor.request(key, body.length, send, progress);
    return { etag, size: body.length, mtimeNs: undefined };
  } catch (error) {
    if (settings.onlyNew && (error as S3Error).code === 'PreconditionFailed') {
      // An earlier attempt whose response was lost may have created the object.
      if (attempts < 2 && !settings.takeEqual) return undefined;
      const existing = await headObject(context, settings.bucket, key).catch(ignoreForbidden);
      return existing && uploadedIfSame(context, existing, body);
    }
    throw error;
  } finally {
    progress.end();
  }
}

/** Returns the result of an upload of these bytes, if the stored object has the same bytes. */
export function uploadedIfSame(context: TransferContext, existing: ObjectHead, body: Uint8Array): UploadedFile | undefined {
  const { etag, checksum, size } = existing;
  if (size !== body.length) return undefined;
  const { digests } = context.store;
  const hash = digests.md5();
  hash.update(body);
  const isSame = checksum === undefined ? etag === hash.hex() : checksum.value === checksumOf(digests, checksum.name, body);
  return isSame ? { etag, size, mtimeNs: undefined } : undefined;
}

/** Returns the properties of one object: the given ones, the media type of its name, and time and mode of the file. */
export function objectProperties(
  file: { path: string; mtimeNs?: bigint; mode?: number },
  key: string,
  settings: UploadSettings,
): ObjectProperties {
  const contentType = settings.properties.contentType ?? settings.contentType?.(key);
  const times = settings.keepTimes === false ? {} : fileMetadata(file);
  const metadata = { ...times, ...settings.properties.metadata };
  return {
    ...settings.properties,
    ...(contentType !== undefined && { contentType: requireHeaderValue('contentType', contentType) }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}
