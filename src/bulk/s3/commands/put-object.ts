import type { Store } from '../object-store.js';
import type { ObjectProperties } from '../../types.js';
import type { BodyPieces } from '../../http/http-client.js';
import { propertyHeaders } from './properties.js';
import { confirm, protect, storedTag, withChecksums } from './protect.js';
import type { BodyHashes } from './protect.js';

export interface PutObject {
  bucket: string;
  key: string;
  body: Uint8Array | BodyPieces;
  hashes: BodyHashes;
  properties: ObjectProperties;
  /** Refuse to replace what is there. */
  onlyNew?: boolean;
  signal: AbortSignal;
  onSent?: (bytes: number) => void;
}

/** Source: AWS API reference, PutObject. @returns the ETag, without quotes. */
export async function putObject(store: Store, put: PutObject): Promise<string> {
  const headers = propertyHeaders(put.properties);
  if (put.onlyNew) headers['if-none-match'] = '*';
  const payload = protect(store, headers, put.hashes);
  const answer = await withChecksums(store, () =>
    store.send({
      method: 'PUT',
      bucket: put.bucket,
      key: put.key,
      headers,
      body: put.body,
      payload,
      signal: put.signal,
      ...(put.onSent && { onSent: put.onSent }),
    }),
  );
  const etag = storedTag(answer);
  confirm(store, answer, put.hashes);
  return etag;
}
