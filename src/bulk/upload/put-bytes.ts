import { checksumOf } from '../s3/checksums.js';
import type { ObjectFacts } from '../s3/commands/head-object.js';
import { headerValue } from '../s3/commands/properties.js';
import { putObject } from '../s3/commands/put-object.js';
import type { S3Error } from '../errors.js';
import { fileMetadata } from '../s3/file-metadata.js';
import type { ObjectProperties } from '../types.js';
import { factsAt, unlessUntold } from '../list/head-object.js';
import { hashHeld } from '../transfer/part-body.js';
import type { Run } from '../transfer/run.js';

export interface UploadSettings {
  bucket: string;
  properties: ObjectProperties;
  /** The type of an object by its name, where `properties` names none. */
  contentType?: (path: string) => string | undefined;
  /** Larger files go up in parts; smaller ones are held whole. @default twice the part size, 16 MiB at most; at most 1 GiB */
  multipartThreshold?: number;
  partSize?: number;
  /** Never replace an object (`If-None-Match: *`). */
  onlyNew?: boolean;
  /** With `onlyNew`, an object of the very bytes counts as uploaded: an earlier try may have made it unheard. */
  takeEqual?: boolean;
  /** Keep modification time and mode in metadata. @default true */
  keepTimes?: boolean;
}

/** What an upload made, for the memory of a sync. */
export interface Uploaded {
  etag: string;
  size: number;
  mtimeNs: bigint | undefined;
  /** Bytes that an earlier run had sent. */
  there?: number;
}

/** Bytes that are held whole, to one key. @returns undefined when `onlyNew` found it there. @throws S3Error */
export async function putBytes(
  run: Run,
  key: string,
  body: Uint8Array,
  properties: ObjectProperties,
  settings: UploadSettings,
): Promise<Uploaded | undefined> {
  const { store } = run;
  const following = run.meter.follow(key, body.length);
  let attempts = 0;
  try {
    const send = async (onSent: (bytes: number) => void): Promise<string> => {
      attempts++;
      const hashing = hashHeld(store, body);
      const hashes = hashing instanceof Promise ? await hashing : hashing;
      return putObject(store, {
        bucket: settings.bucket,
        key,
        body,
        hashes,
        properties,
        ...(settings.onlyNew && { onlyNew: true }),
        signal: run.signal,
        onSent,
      });
    };
    const etag = await run.request(key, body.length, send, following);
    return { etag, size: body.length, mtimeNs: undefined };
  } catch (error) {
    if (settings.onlyNew && (error as S3Error).code === 'PreconditionFailed') {
      // A try whose answer was lost may have made the very object that now stands in the way.
      if (attempts < 2 && !settings.takeEqual) return undefined;
      const facts = await factsAt(run, settings.bucket, key).catch(unlessUntold);
      return facts && madeOf(run, facts, body);
    }
    throw error;
  } finally {
    following.end();
  }
}

/** What an upload of these bytes made, if it is the object that stands there. */
export function madeOf(run: Run, facts: ObjectFacts, body: Uint8Array): Uploaded | undefined {
  const { etag, checksum, size } = facts;
  if (size !== body.length) return undefined;
  const { digests } = run.store;
  const hash = digests.md5();
  hash.update(body);
  const equal = checksum === undefined ? etag === hash.hex() : checksum.value === checksumOf(digests, checksum.name, body);
  return equal ? { etag, size, mtimeNs: undefined } : undefined;
}

/** The properties of one object: those of the run, its type by name, its time and mode. */
export function propertiesOf(
  facts: { path: string; mtimeNs?: bigint; mode?: number },
  key: string,
  settings: UploadSettings,
): ObjectProperties {
  const contentType = settings.properties.contentType ?? settings.contentType?.(key);
  const own = settings.keepTimes === false ? {} : fileMetadata(facts);
  const metadata = { ...own, ...settings.properties.metadata };
  return {
    ...settings.properties,
    ...(contentType !== undefined && { contentType: headerValue('contentType', contentType) }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}
