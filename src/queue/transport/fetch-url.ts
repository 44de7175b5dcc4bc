import { fromErrorBody } from '../../protocol/error-response.js';
import { BlobError, statusOfCode } from '../../protocol/errors.js';
import type { ErrorCode } from '../../protocol/errors.js';
import { FETCH } from '../../protocol/limits.js';
import { parseMediaType } from '../../protocol/media-type.js';
import { PLATFORM_ERROR_STATUS } from '../../protocol/platform-error-codes.js';
import type { FileRecord } from '../../protocol/types.js';
import { revalidateFile } from '../file-rules.js';
import type { QueueItem } from '../queue-item.js';
import type { QueueState } from '../queue-state.js';
import type { Limits } from '../types.js';
import { parseJson, readPayload } from './response.js';
import { readEvents } from './read-events.js';
import type { RequestContext } from './send-single.js';

export interface FetchContext extends RequestContext {
  state: QueueState;
  /** The limits of the page and the token. */
  limits: Limits;
}

/** Facts about a file that an event states. */
interface FileHead {
  size?: unknown;
  name?: unknown;
  type?: unknown;
}

/**
 * Lets the service fetch a file from its URL. Progress arrives as server-sent events.
 * @throws BlobError the error of the service, or `NETWORK_ERROR`; the signal's reason
 */
export async function fetchUrl(item: QueueItem, context: FetchContext): Promise<FileRecord> {
  try {
    return await readFetch(item, context);
  } catch (error) {
    // The next attempt starts over. A file that failed would leave bytes in the totals of `sent` that those of `bytes` lack.
    if (item.isSizeUnknown) changeItem(item, context.state, () => (item.sent = 0));
    throw error;
  }
}

async function readFetch(item: QueueItem, context: FetchContext): Promise<FileRecord> {
  const { state, limits, progress, signal } = context;
  const maxSize = () => largestSize(limits, state.listed.bytes - item.size);
  const response = await requestFetch(item, context, maxSize());
  let bytes = 0;
  // Comments show that the service works while the other server sends nothing.
  for await (const event of readEvents(response, signal, () => progress(bytes))) {
    const data = Object(parseJson(event.data)) as Record<string, unknown>;
    if (event.name === 'progress') {
      describeItem(item, state, { size: data['total'], name: data['name'], type: data['content_type'] });
      // The sizes of other links may be known by now.
      assertAccepted(item, { ...limits, maxSize: maxSize() });
      bytes = Number(data['bytes']) || 0;
      progress(bytes);
    }
    if (event.name === 'error') throw fromErrorBody(statusOfError(data['code']), data);
    if (event.name !== 'done') continue;
    const file = Object(data['file']) as FileRecord;
    describeItem(item, state, { size: file.size, type: file.content_type });
    return file;
  }
  throw new BlobError('NETWORK_ERROR', 'The response of the service broke off.');
}

/** @returns the response with the events of the fetch @throws BlobError if the service refused it */
async function requestFetch(
  { url, idempotencyKey, metadata }: QueueItem,
  { token, limits, signal }: FetchContext,
  maxSize: number | null,
): Promise<Response> {
  const types = limits.accept ?? [];
  const hasOnlyTypes = types.length > 0 && types.length <= FETCH.allowedTypes && types.every((type) => type.includes('/'));
  const body = { url, metadata, ...(maxSize !== null && { max_size: maxSize }), ...(hasOnlyTypes && { allowed_types: types }) };
  const init: RequestInit = {
    method: 'POST',
    headers: {
      accept: 'text/event-stream',
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey!,
      authorization: token.authorization,
    },
    body: JSON.stringify(body),
    credentials: 'omit',
    cache: 'no-store',
    // Another origin would get the token and the URL.
    redirect: 'error',
    signal,
  };
  const response = await fetch(`${token.endpoint}/v1/files/fetch`, init).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw new BlobError('NETWORK_ERROR', 'No response arrived.', { cause });
  });
  if (response.ok && /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')) return response;
  const { status, headers } = response;
  readPayload({ status, headers, body: parseJson(await response.text().catch(() => '')) });
  throw new BlobError('UNEXPECTED_ANSWER', `The service responded ${status} without events.`, { status });
}

/** Returns the largest size of a file beside those in the list; null if there is no limit. */
function largestSize({ maxSize, maxTotalSize }: Limits, listedBytes: number): number | null {
  const rest = maxTotalSize === null ? Infinity : Math.max(0, maxTotalSize - listedBytes);
  const size = Math.min(maxSize ?? Infinity, rest);
  return size === Infinity ? null : size;
}

/** Notes what the response says about a file. */
function describeItem(item: QueueItem, state: QueueState, { size, name, type }: FileHead): void {
  changeItem(item, state, () => {
    if (Number.isSafeInteger(size) && Number(size) >= 0) {
      item.size = Number(size);
      item.isSizeUnknown = false;
      item.sent = Math.min(item.sent, item.size);
    }
    if (typeof name === 'string' && name.trim() !== '') item.name = name;
    if (typeof type === 'string') item.type = parseMediaType(type)?.essence ?? '';
  });
}

/** Changes the size or the sent bytes of a file, and the totals with them. */
function changeItem(item: QueueItem, state: QueueState, change: () => void): void {
  // The totals do not contain it any more.
  if (item.isRemoved) return;
  state.totals.addFile(item, -1);
  change();
  state.totals.addFile(item, 1);
  state.change(item, item.state);
}

/** The service checks the limits of the token. The page may accept less. @throws BlobError if it does not accept the file */
function assertAccepted({ name, size, type, identity, isSizeUnknown }: QueueItem, limits: Limits): void {
  if (size === 0 && !isSizeUnknown && !limits.allowEmpty) throw new BlobError('NO_FILE_UPLOADED', 'The file is empty.');
  const rejection = revalidateFile({ name, size, type, identity }, limits);
  if (rejection)
    throw new BlobError(rejection.code as ErrorCode, 'The page does not accept the file.', { details: rejection.details });
}

const PLATFORM_STATUSES: Readonly<Record<string, number>> = PLATFORM_ERROR_STATUS;

/** The response with the events has the status 200, so the code decides whether the file is fetched again. */
const statusOfError = (code: unknown): number => statusOfCode(String(code)) ?? PLATFORM_STATUSES[String(code)] ?? 500;
