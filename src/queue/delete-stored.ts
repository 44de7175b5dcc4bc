import type { BlobError } from '../protocol/errors.js';
import { asBlobError } from './errors.js';
import type { QueueItem } from './queue-item.js';
import type { UploadToken } from './tokens/read-token.js';
import { storingTokenOf } from './tokens/storing-tokens.js';
import { asSupplyError, requestToken } from './tokens/token-supply.js';
import { fetchResponse, isSuccess, toBlobError } from './transport/response.js';
import type { QueueContext, QueueOptions, UploadItem } from './types.js';

/** Milliseconds after which a request is aborted. */
const DELETE_TIMEOUT = 30_000;

export interface DeletionContext extends QueueContext {
  /** The deletion of files begins, or of one file failed. */
  onChange(items: readonly QueueItem[]): void;
  /** The service has deleted a file that is still in the list. */
  onDeleted(item: QueueItem): void;
}

/** Deletes stored files at the service, several at a time. A file that could not be deleted stays in the list with its error. */
export async function deleteStored(items: readonly UploadItem[], context: DeletionContext): Promise<void> {
  const stored = items as readonly QueueItem[];
  const pending = stored.filter((item) => item.state.status === 'done' && item.deletion !== 'running');
  setDeletion(pending, 'running', context);
  const worker = async () => {
    for (let item = pending.shift(); item; item = pending.shift()) await deleteOne(item, context);
  };
  await Promise.all(Array.from({ length: context.options.concurrency }, worker));
}

async function deleteOne(item: QueueItem, context: DeletionContext): Promise<void> {
  try {
    await requestDeletion(item, context.options);
  } catch (cause) {
    setDeletion([item], asBlobError(cause), context);
    return;
  }
  // The page may have removed the file meanwhile.
  if (!item.isRemoved) context.onDeleted(item);
}

function setDeletion(items: readonly QueueItem[], deletion: QueueItem['deletion'], { state, onChange }: DeletionContext): void {
  const listed = items.filter((item) => !item.isRemoved);
  for (const item of listed) {
    state.deleting += Number(deletion === 'running') - Number(item.deletion === 'running');
    item.deletion = deletion;
  }
  if (listed.length > 0) onChange(listed);
}

/** @throws BlobError the error of the service or of the token's source, or `NETWORK_ERROR` */
async function requestDeletion(item: QueueItem, options: QueueOptions): Promise<void> {
  if (item.state.status !== 'done') return;
  const known = storingTokenOf(item);
  const token = known ?? (await requestOtherToken(item, options));
  const response = await fetchResponse(`${token.endpoint}/v1/files/${encodeURIComponent(item.state.file.id)}`, {
    method: 'DELETE',
    headers: { authorization: token.authorization },
    credentials: 'omit',
    // The person may leave the page.
    keepalive: true,
    signal: AbortSignal.timeout(DELETE_TIMEOUT),
  });
  if (isSuccess(response)) return;
  const error: BlobError = toBlobError(response);
  // This token stored the file, so the file is gone: an earlier response was lost, or the site deleted, moved or replaced it.
  if (known && error.code === 'FILE_NOT_FOUND') return;
  throw error;
}

/** Asks the page for a token, because the page does not know the one that stored the file. */
async function requestOtherToken({ name, size, type }: QueueItem, options: QueueOptions): Promise<UploadToken> {
  try {
    const source = { provider: options.tokenProvider, endpoint: options.endpoint };
    return await requestToken(source, { files: [{ name, size, type }], reason: 'start' });
  } catch (cause) {
    throw asSupplyError(cause);
  }
}
