import { formatDisposition } from '../../protocol/content-disposition.js';
import { DEFAULT_MEDIA_TYPE, safeMediaType } from '../../protocol/media-type.js';
import type { FileRecord } from '../../protocol/types.js';
import { payloadOf } from './response.js';
import type { Item } from '../queue-item.js';
import type { Token } from '../tokens/read-token.js';
import type { Wire } from './uppy-client.js';

/** What a transport needs besides the file. */
export interface Passage {
  token: Token;
  /** Bytes of the file that are on their way. */
  progress(sent: number): void;
  signal: AbortSignal;
}

/** Half a character, as some systems allow in a name, cannot be encoded. Every current browser has the method. */
export const wellFormed = (name: string): string => (name as string & { toWellFormed(): string }).toWellFormed();

/** What every file has: a name for the service (a person's, so it stands in a header only by RFC 8187) and its own key. */
export const headersOf = (item: Item): Record<string, string> => ({
  'content-disposition': formatDisposition('attachment', wellFormed(item.name)),
  // A body that says it is a form would be read as one.
  'content-type': /^multipart\//i.test(item.type) ? DEFAULT_MEDIA_TYPE : safeMediaType(item.type),
  'idempotency-key': item.key!,
});

/**
 * One file as the body of one request. All go to one address, so the browser asks its permission (preflight) once.
 * @throws BlobError what the service said, or `NETWORK_ERROR`; the signal's reason
 */
export async function sendRaw(wire: Wire, item: Item, { token, progress, signal }: Passage): Promise<FileRecord> {
  const answer = await wire.send({
    method: 'POST',
    url: `${token.endpoint}/v1/files`,
    headers: { ...headersOf(item), authorization: token.authorization },
    body: item.bytes(),
    progress,
    signal,
  });
  return payloadOf(answer) as FileRecord;
}
