import { BlobError, fromErrorBody } from '../../protocol/errors.js';
import { safeMediaType } from '../../protocol/media-type.js';
import type { FileRecord } from '../../protocol/types.js';
import { readPayload } from './response.js';
import type { ServiceResponse } from './response.js';
import { createIdempotencyKey } from '../queue-item.js';
import type { QueueItem } from '../queue-item.js';
import { withExclusiveLock, deleteResumeKey, storageKeyOf, readResumeKey, saveResumeKey } from './resume-keys.js';
import { wellFormed } from './send-single.js';
import type { TransferContext } from './send-single.js';
import { checkSample } from '../verification/check-sample.js';
import type { UploadToken } from '../tokens/read-token.js';
import type { UppyClient } from './uppy-client.js';

// tus 1.0 with creation-with-upload (docs/reference/tus.md): https://tus.io/protocols/resumable-upload

/** Rounds of asking and sending within one try; a service that contradicts itself must not be asked for ever. */
const ROUNDS = 4;

const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/** How often one file is begun anew because the service lost its upload, before people are told. */
const RESTARTS = 5;

/** How long the service may take to hear that an upload is over. Milliseconds. */
const PATIENCE = 20_000;

export interface ResumableContext extends TransferContext {
  /** Bytes the service has already: an earlier try or visit brought them. */
  resumed(offset: number): void;
  /** Compares the SHA-256 of what is stored with the file's own in any case. @throws BlobError when the code for it does not load */
  verifyWhole(): Promise<void>;
}

interface Place {
  url: string;
  offset: number;
}

/**
 * A big file, of which nothing is sent twice. The whole goes along with the creation; after a break the same `Idempotency-Key`
 * asks for the place of the upload and how much of it is there, and the rest follows. So no address has to be remembered, and a
 * fresh file costs one request.
 * @throws BlobError what the service said, `NETWORK_ERROR`; `NOT_FOUND` from a service without the route; the signal's reason
 */
export async function sendResumable(wire: UppyClient, item: QueueItem, passage: ResumableContext): Promise<FileRecord> {
  await checkSample(item);
  const name = await storageKeyOf(passage.token.endpoint, item);
  return withExclusiveLock(name, async (only) => {
    const entry = only ? name : undefined;
    if (!item.hasStarted && entry) await begin(item, entry, passage);
    const file = await sendOrStartOver(wire, item, passage, entry);
    if (entry) deleteResumeKey(entry);
    return file;
  });
}

/**
 * Begins under the key of an earlier visit, or under its own, which a later visit will find. Two files may have the same sample, so an
 * upload is continued only if the whole can be verified.
 */
async function begin(item: QueueItem, entry: string, { verifyWhole }: ResumableContext): Promise<void> {
  const known = readResumeKey(entry);
  const isVerified =
    known !== undefined &&
    (await verifyWhole().then(
      () => true,
      () => false,
    ));
  if (isVerified) item.idempotencyKey = known;
  else saveResumeKey(entry, item.idempotencyKey!);
  item.hasStarted = item.isContinued = isVerified;
}

async function sendOrStartOver(
  wire: UppyClient,
  item: QueueItem,
  passage: ResumableContext,
  entry: string | undefined,
): Promise<FileRecord> {
  const resumed = item.hasStarted;
  try {
    return await send(wire, item, passage);
  } catch (error) {
    if (!resumed || !isLost(error) || item.restarts >= RESTARTS) throw error;
    item.restarts++;
    item.idempotencyKey = createIdempotencyKey();
    item.hasStarted = item.isContinued = false;
    item.confirmedBytes = 0;
    if (entry) saveResumeKey(entry, item.idempotencyKey);
    return await send(wire, item, passage);
  }
}

/** Whether an upload that was begun cannot go on: its token was revoked, this one doesn't admit it, the key stands for another file. */
function isLost(error: unknown): boolean {
  if (!(error instanceof BlobError) || error.code === 'OPERATION_IN_PROGRESS') return false;
  if (error.code === 'BLOB_UPLOAD_TOKEN_INVALID') return /revoked/.test(String(error.details['reason']));
  return [403, 404, 409].includes(error.status);
}

/**
 * Ends an upload for good, so that its use and its storage are free at once and not only when it expires.
 * @throws BlobError when the service could not be told; it then finds out by itself
 */
export async function terminate(wire: UppyClient, item: QueueItem, token: UploadToken): Promise<void> {
  const passage = { token, progress() {}, resumed() {}, verifyWhole: async () => {}, signal: AbortSignal.timeout(PATIENCE) };
  const name = await storageKeyOf(token.endpoint, item);
  if (name) deleteResumeKey(name);
  const answer = await create(wire, item, passage);
  // Stored meanwhile: then it stays.
  if (hasFile(answer)) return;
  const { url } = placeOf(answer, item, passage);
  const headers = { authorization: token.authorization, 'idempotency-key': item.idempotencyKey!, 'tus-resumable': '1.0.0' };
  await fetch(url, { method: 'DELETE', headers, keepalive: true, redirect: 'error', signal: passage.signal });
}

async function send(wire: UppyClient, item: QueueItem, passage: ResumableContext): Promise<FileRecord> {
  let answer = await create(wire, item, passage);
  for (let round = 0; round < ROUNDS; round++) {
    if (hasFile(answer)) return readPayload(answer) as FileRecord;
    answer = await append(wire, item, passage, placeOf(answer, item, passage));
    // Gone, or not where we thought: the creation tells again.
    if (answer.status === 404 || 'offset' in fromErrorBody(answer.status, answer.body).details)
      answer = await create(wire, item, passage);
  }
  throw new BlobError('UNEXPECTED_ANSWER', 'The service took the bytes and never told of a file.');
}

/** Creates the upload, or finds the one that this file's key made: then without bytes, as nobody knows yet which are missing. */
async function create(
  wire: UppyClient,
  item: QueueItem,
  { token, progress, signal }: ResumableContext,
): Promise<ServiceResponse> {
  const fresh = !item.hasStarted;
  item.hasStarted = true;
  return wire.send({
    method: 'POST',
    url: `${token.endpoint}/v1/uploads`,
    headers: {
      ...tusHeaders(item, token),
      'upload-length': String(item.size),
      'upload-metadata': metadataOf(item),
    },
    body: fresh ? item.slice() : new Blob([]),
    progress: fresh ? progress : () => {},
    signal,
  });
}

/** With the sample, the service refuses the key of an upload that was begun with another content. */
const metadataOf = ({ name, type, sample = '' }: QueueItem): string =>
  Object.entries({ filename: wellFormed(name), filetype: safeMediaType(type), sample })
    .map(([key, value]) => `${key} ${base64(value)}`)
    .join(',');

const append = (
  wire: UppyClient,
  item: QueueItem,
  { token, progress, signal }: ResumableContext,
  { url, offset }: Place,
): Promise<ServiceResponse> =>
  wire.send({
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

const hasFile = ({ status, body }: ServiceResponse): boolean => status >= 200 && status < 300 && body !== undefined;

/** @throws BlobError a refusal. */
function placeOf(answer: ServiceResponse, item: QueueItem, { token, resumed }: ResumableContext): Place {
  if (answer.status === 0 || answer.status >= 300) readPayload(answer);
  const id = answer.headers.get('location')?.split('/').pop();
  const offset = Number(answer.headers.get('upload-offset') ?? 0);
  if (!id || !Number.isSafeInteger(offset) || offset < 0 || offset > item.size)
    throw new BlobError('UNEXPECTED_ANSWER', 'The service did not say where the upload continues.', { status: answer.status });
  resumed(offset);
  // Of the address only the id is taken: the token goes nowhere but to its service.
  return { url: `${token.endpoint}/v1/uploads/${encodeURIComponent(id)}`, offset };
}
