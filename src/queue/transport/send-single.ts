import { formatDisposition } from '../../protocol/content-disposition.js';
import { DEFAULT_MEDIA_TYPE, safeMediaType } from '../../protocol/media-type.js';
import type { FileRecord } from '../../protocol/types.js';
import { readPayload } from './response.js';
import type { QueueItem } from '../queue-item.js';
import type { UploadToken } from '../tokens/read-token.js';
import type { UppyClient } from './uppy-client.js';

/** The token, the callback and the signal of a request. */
export interface RequestContext {
  token: UploadToken;
  /** Reports how many bytes of the file were sent. */
  progress(sent: number): void;
  signal: AbortSignal;
}

/** Replaces lone surrogates, which some systems allow in names and which cannot be encoded. */
export const wellFormed = (name: string): string => (name as string & { toWellFormed(): string }).toWellFormed();

/** Returns the headers of a file: its name, encoded by RFC 8187, its type and its key. */
export const fileHeaders = (item: QueueItem): Record<string, string> => ({
  'content-disposition': formatDisposition('attachment', wellFormed(item.name)),
  // The service would parse a body with a form's type.
  'content-type': /^multipart\//i.test(item.type) ? DEFAULT_MEDIA_TYPE : safeMediaType(item.type),
  'idempotency-key': item.idempotencyKey!,
});

/** Returns the head of a file's part in a form. It is ASCII, because RFC 8187 encodes the name. */
export function partHead(item: QueueItem, boundary: string): string {
  const headers = fileHeaders(item);
  headers['content-disposition'] = headers['content-disposition']!.replace('attachment', 'form-data; name="file"');
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `--${boundary}\r\n${lines.join('')}\r\n`;
}

/**
 * Sends one file as the body of a request. All files go to one address, so the browser asks for permission (preflight) once.
 * @throws BlobError the error of the service, or `NETWORK_ERROR`; the signal's reason
 */
export async function sendSingle(
  client: UppyClient,
  item: QueueItem,
  { token, progress, signal }: RequestContext,
): Promise<FileRecord> {
  const response = await client.send({
    method: 'POST',
    url: `${token.endpoint}/v1/files`,
    headers: { ...fileHeaders(item), authorization: token.authorization },
    body: item.slice(),
    progress,
    signal,
  });
  return readPayload(response) as FileRecord;
}
