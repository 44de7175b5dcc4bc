import { QueueItem } from './queue-item.js';
import { requestToken } from './tokens/token-supply.js';
import type { InterruptedUpload } from './transport/interrupted-uploads.js';
import { deleteResumeKey, readResumeKey } from './transport/resume-keys.js';
import { terminate } from './transport/send-resumable.js';
import { UppyClient } from './transport/uppy-client.js';
import type { QueueOptions } from './types.js';

/**
 * Forgets an upload of an earlier visit, and ends it at the service if the page supplies a token. Otherwise the service deletes it when
 * it expires.
 *
 * @param entry name of the upload's entry in `resume-keys.ts`
 */
export async function dismissInterrupted(entry: string, upload: InterruptedUpload, options: QueueOptions): Promise<void> {
  const key = readResumeKey(entry);
  deleteResumeKey(entry);
  if (key === undefined) return;
  const { name, size, type, relativePath, sample } = upload;
  const item = new QueueItem('', null, name, size, type, relativePath);
  item.idempotencyKey = key;
  item.sample = sample;
  item.hasStarted = true;
  const client = new UppyClient();
  try {
    const source = { provider: options.tokenProvider, endpoint: options.endpoint };
    await terminate(client, item, await requestToken(source, { files: [{ name, size, type }], reason: 'start' }));
  } catch {
    // The error needs no message: the upload is already forgotten here.
  } finally {
    client.destroy();
  }
}
