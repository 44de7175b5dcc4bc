import { fromErrorBody, isRetryable } from '../../protocol/error-response.js';
import { BlobError } from '../../protocol/errors.js';
import { safeMediaType } from '../../protocol/media-type.js';
import type { FileRecord } from '../../protocol/types.js';
import { isSuccess, readPayload } from './response.js';
import type { ServiceResponse } from './response.js';
import { createIdempotencyKey } from '../idempotency-key.js';
import type { QueueItem } from '../queue-item.js';
import { forgetInterrupted, saveInterrupted } from './interrupted-uploads.js';
import { withExclusiveLock, deleteResumeKey, storageKeyOf, readResumeKey, saveResumeKey } from './resume-keys.js';
import { wellFormed } from './send-single.js';
import type { RequestContext } from './send-single.js';
import { checkSample } from '../verification/check-sample.js';
import type { UploadToken } from '../tokens/read-token.js';
import type { UppyClient } from './uppy-client.js';

// tus 1.0 with creation-with-upload (docs/reference/tus.md): https://tus.io/protocols/resumable-upload

/** Requests within one attempt. A service that contradicts itself must not be asked forever. */
const MAX_REQUESTS = 4;

const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/** New starts of one file whose upload the service lost, before it fails. */
const MAX_RESTARTS = 5;

/** Milliseconds between two updates of the progress in storage. */
const SAVE_INTERVAL_MS = 1000;

/** Milliseconds for telling the service that an upload is over. */
const TERMINATE_TIMEOUT_MS = 20_000;

export interface ResumableContext extends RequestContext {
  /** Reports the bytes that the service has from an earlier attempt or visit. */
  resumed(offset: number): void;
  /** The element and its page, see `QueueOptions.resumeScope`. */
  resumeScope: string;
  /** Verifies the SHA-256 of the stored file, whatever the options say. @throws BlobError if the code for it does not load */
  verifyWhole(): Promise<void>;
}

/** Position at which an upload continues. `offset` counts the stored bytes. */
interface UploadPosition {
  url: string;
  offset: number;
}

/**
 * Sends a large file and sends no byte twice. The request that creates the upload carries the whole file. After an interruption, the same
 * `Idempotency-Key` finds the upload and its offset, and the rest follows.
 * @throws BlobError the error of the service, or `NETWORK_ERROR`; `NOT_FOUND` if the service lacks the route; the signal's reason
 */
export async function sendResumable(client: UppyClient, item: QueueItem, context: ResumableContext): Promise<FileRecord> {
  await checkSample(item);
  const name = await storageKeyOf(context.token.endpoint, item);
  return withExclusiveLock(name, async (only) => {
    const entry = only ? name : undefined;
    if (!item.hasStarted && entry) await chooseKey(item, entry, context);
    try {
      const file = await sendOrStartOver(client, item, entry ? saveProgress(item, entry, context) : context, entry);
      if (entry) deleteResumeKey(entry);
      return file;
    } catch (error) {
      if (entry && isRefusal(error)) forgetInterrupted(entry);
      throw error;
    }
  });
}

/** Keeps the progress for a list of interrupted uploads after a reload. */
function saveProgress(item: QueueItem, entry: string, context: ResumableContext): ResumableContext {
  if (context.resumeScope === '') return context;
  let savedAt = Number.NEGATIVE_INFINITY;
  const save = (sent: number) => {
    if (sent === 0 || item.isRemoved || performance.now() - savedAt < SAVE_INTERVAL_MS) return;
    savedAt = performance.now();
    saveInterrupted(entry, item, context.resumeScope, sent);
  };
  const progress = (sent: number) => {
    context.progress(sent);
    save(sent);
  };
  const resumed = (offset: number) => {
    context.resumed(offset);
    save(offset);
  };
  return { ...context, progress, resumed };
}

/** Returns whether the service does not take the file. An expired token says nothing about the file. */
const isRefusal = (error: unknown): boolean =>
  error instanceof BlobError && error.status >= 400 && error.status !== 401 && !isRetryable(error);

/**
 * Takes the key of an earlier visit, or saves its own key for a later visit. Two files may have the same sample, so an upload continues
 * only if the whole file can be verified.
 */
async function chooseKey(item: QueueItem, entry: string, { verifyWhole }: ResumableContext): Promise<void> {
  const savedKey = readResumeKey(entry);
  const isVerified =
    savedKey !== undefined &&
    (await verifyWhole().then(
      () => true,
      () => false,
    ));
  if (isVerified) item.idempotencyKey = savedKey;
  else saveResumeKey(entry, item.idempotencyKey!);
  item.hasStarted = item.isContinued = isVerified;
}

async function sendOrStartOver(
  client: UppyClient,
  item: QueueItem,
  context: ResumableContext,
  entry: string | undefined,
): Promise<FileRecord> {
  const isResumed = item.hasStarted;
  try {
    return await send(client, item, context);
  } catch (error) {
    if (!isResumed || !isLost(error) || item.restarts >= MAX_RESTARTS) throw error;
    item.restarts++;
    item.idempotencyKey = createIdempotencyKey();
    item.hasStarted = item.isContinued = false;
    item.confirmedBytes = 0;
    if (entry) saveResumeKey(entry, item.idempotencyKey);
    return await send(client, item, context);
  }
}

/** Returns whether an upload cannot continue: its token was revoked, the new token does not allow it, or the key belongs to another file. */
function isLost(error: unknown): boolean {
  if (!(error instanceof BlobError) || error.code === 'OPERATION_IN_PROGRESS') return false;
  if (error.code === 'BLOB_UPLOAD_TOKEN_INVALID') return /revoked/.test(String(error.details['reason']));
  return [403, 404, 409].includes(error.status);
}

/**
 * Ends an upload and forgets its key, so that its storage and its use of the token are free at once. If the token cannot be used any
 * more, they are free when the upload expires.
 * @throws BlobError if the service was not reached
 */
export async function terminate(client: UppyClient, item: QueueItem, token: UploadToken): Promise<void> {
  const context = {
    token,
    progress() {},
    resumed() {},
    verifyWhole: async () => {},
    resumeScope: '',
    signal: AbortSignal.timeout(TERMINATE_TIMEOUT_MS),
  };
  const name = await storageKeyOf(token.endpoint, item);
  if (name) deleteResumeKey(name);
  if (!token.isAlive) return;
  const response = await create(client, item, context);
  // A file that was stored in the meantime stays.
  if (hasFile(response)) return;
  const { url } = readPosition(response, item, context);
  const headers = { authorization: token.authorization, 'idempotency-key': item.idempotencyKey!, 'tus-resumable': '1.0.0' };
  await fetch(url, { method: 'DELETE', headers, keepalive: true, redirect: 'error', signal: context.signal });
}

async function send(client: UppyClient, item: QueueItem, context: ResumableContext): Promise<FileRecord> {
  let response = await create(client, item, context);
  for (let round = 0; round < MAX_REQUESTS; round++) {
    if (hasFile(response)) return readPayload(response) as FileRecord;
    response = await append(client, item, context, readPosition(response, item, context));
    // The upload is gone, or has another offset. Its creation request returns the new position.
    if (response.status === 404 || 'offset' in fromErrorBody(response.status, response.body).details)
      response = await create(client, item, context);
  }
  throw new BlobError('UNEXPECTED_ANSWER', 'The service took the bytes and returned no file.');
}

/** Creates the upload with all bytes. If the file has an upload, finds it by its key, without bytes. */
async function create(
  client: UppyClient,
  item: QueueItem,
  { token, progress, signal }: ResumableContext,
): Promise<ServiceResponse> {
  const isNew = !item.hasStarted;
  item.hasStarted = true;
  return client.send({
    method: 'POST',
    url: `${token.endpoint}/v1/uploads`,
    headers: {
      ...tusHeaders(item, token),
      'upload-length': String(item.size),
      'upload-metadata': uploadMetadata(item),
    },
    body: isNew ? item.slice() : new Blob([]),
    progress: isNew ? progress : () => {},
    signal,
  });
}

/** Encodes the metadata. The service refuses the key of an upload with another sample. */
const uploadMetadata = ({ name, type, sample = '', metadataText }: QueueItem): string =>
  Object.entries({
    filename: wellFormed(name),
    filetype: safeMediaType(type),
    sample,
    ...(metadataText && { metadata: metadataText }),
  })
    .map(([key, value]) => `${key} ${base64(value)}`)
    .join(',');

const append = (
  client: UppyClient,
  item: QueueItem,
  { token, progress, signal }: ResumableContext,
  { url, offset }: UploadPosition,
): Promise<ServiceResponse> =>
  client.send({
    method: 'PATCH',
    url,
    headers: { ...tusHeaders(item, token), 'upload-offset': String(offset) },
    body: item.slice(offset),
    progress: (loaded) => progress(offset + loaded),
    signal,
  });

const tusHeaders = (item: QueueItem, token: UploadToken): Record<string, string> => ({
  authorization: token.authorization,
  'content-type': 'application/offset+octet-stream',
  'idempotency-key': item.idempotencyKey!,
  'tus-resumable': '1.0.0',
});

const hasFile = (response: ServiceResponse): boolean => isSuccess(response) && response.body !== undefined;

/** Reads where the upload continues. @throws BlobError the error of the service */
function readPosition(response: ServiceResponse, item: QueueItem, { token, resumed }: ResumableContext): UploadPosition {
  if (response.status === 0 || response.status >= 300) readPayload(response);
  const id = response.headers.get('location')?.split('/').pop();
  const offset = Number(response.headers.get('upload-offset') ?? 0);
  if (!id || !Number.isSafeInteger(offset) || offset < 0 || offset > item.size)
    throw new BlobError('UNEXPECTED_ANSWER', 'The service did not say where the upload continues.', { status: response.status });
  resumed(offset);
  // Only the id of the address is used, because the token must go to its own service only.
  return { url: `${token.endpoint}/v1/uploads/${encodeURIComponent(id)}`, offset };
}
