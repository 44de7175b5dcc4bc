import { formatDisposition } from '../../protocol/content-disposition.js';
import { DEFAULT_MEDIA_TYPE, safeMediaType } from '../../protocol/media-type.js';
import type { FileRecord } from '../../protocol/types.js';
import { readPayload } from './response.js';
import type { QueueItem } from '../queue-item.js';
import type { UploadToken } from '../tokens/read-token.js';
import type { UppyClient } from './uppy-client.js';

/** What a transport needs besides the file. */
export interface TransferContext {
  token: UploadToken;
  /** Bytes of the file that are on their way. */
  progress(sent: number): void;
  signal: AbortSignal;
}

/** Half a character, as some systems allow in a name, cannot be encoded. Every current browser has the method. */
export const wellFormed = (name: string): string => (name as string & { toWellFormed(): string }).toWellFormed();

/** What every file has: a name for the service (a person's, so it stands in a header only by RFC 8187) and its own key. */
export const fileHeaders = (item: QueueItem): Record<string, string> => ({
  'content-disposition': formatDisposition('attachment', wellFormed(item.name)),
  // A body that says it is a form would be read as one.
  'content-type': /^multipart\//i.test(item.type) ? DEFAULT_MEDIA_TYPE : safeMediaType(item.type),
  'idempotency-key': item.idempotencyKey!,
});

/**
 * One file as the body of one request. All go to one address, so the browser asks its permission (preflight) once.
 * @throws BlobError what the service said, or `NETWORK_ERROR`; the signal's reason
 */
export async function sendSingle(
  wire: UppyClient,
  item: QueueItem,
  { token, progress, signal }: TransferContext,
): Promise<FileRecord> {
  const answer = await wire.send({
    method: 'POST',
    url: `${token.endpoint}/v1/files`,
    headers: { ...fileHeaders(item), authorization: token.authorization },
    body: item.slice(),
    progress,
    signal,
  });
  return readPayload(answer) as FileRecord;
}
