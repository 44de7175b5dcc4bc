import type { Store } from '../store.js';
import type { WireAnswer } from '../wire.js';

export interface GetObject {
  bucket: string;
  key: string;
  /** First and last byte; all of it without. */
  range?: { start: number; end: number };
  /** Only this version of the bytes will do. */
  ifMatch?: string;
  signal: AbortSignal;
  onData?: (piece: Uint8Array, headers: Record<string, string>) => void | Promise<void>;
}

/** Source: AWS API reference, GetObject. Asks for the stored checksum as well. */
export function getObject(store: Store, get: GetObject): Promise<WireAnswer> {
  const headers: Record<string, string> = { 'x-amz-checksum-mode': 'ENABLED' };
  if (get.range !== undefined) headers['range'] = `bytes=${get.range.start}-${get.range.end}`;
  if (get.ifMatch !== undefined) headers['if-match'] = `"${get.ifMatch}"`;
  return store.send({
    method: 'GET',
    bucket: get.bucket,
    key: get.key,
    headers,
    signal: get.signal,
    ...(get.onData && { onData: get.onData }),
  });
}
