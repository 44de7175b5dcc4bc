import type { FileRecord } from '../../protocol/types.js';
import type { QueueItem } from '../queue-item.js';
import { readPayload } from './response.js';
import { partHead } from './send-single.js';
import type { RequestContext } from './send-single.js';
import type { UppyClient } from './uppy-client.js';

/**
 * Sends one file with its metadata, in a form. A raw body would need the metadata in the address, which servers log.
 * @throws BlobError the error of the service, or `NETWORK_ERROR`; the signal's reason
 */
export async function sendForm(
  client: UppyClient,
  item: QueueItem,
  { token, progress, signal }: RequestContext,
): Promise<FileRecord> {
  const boundary = `svc-${item.idempotencyKey!}`;
  const field = `--${boundary}\r\ncontent-disposition: form-data; name="metadata"\r\n\r\n${item.metadataText!}\r\n`;
  const head = new Blob([field, partHead(item, boundary)]);
  const response = await client.send({
    method: 'POST',
    url: `${token.endpoint}/v1/files`,
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'idempotency-key': item.idempotencyKey!,
      authorization: token.authorization,
    },
    // The browser reads the file when it sends.
    body: new Blob([head, item.slice(), `\r\n--${boundary}--\r\n`]),
    progress: (loaded) => progress(Math.max(0, Math.min(item.size, loaded - head.size))),
    signal,
  });
  return readPayload(response) as FileRecord;
}
