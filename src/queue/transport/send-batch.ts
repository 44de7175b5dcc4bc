import { fromErrorBody } from '../../protocol/error-response.js';
import { BlobError, statusOfCode } from '../../protocol/errors.js';
import type { BatchResult } from '../../protocol/types.js';
import { readPayload } from './response.js';
import type { QueueItem } from '../queue-item.js';
import type { Outcome } from '../outcome.js';
import { partHead } from './send-single.js';
import type { RequestContext } from './send-single.js';
import type { UppyClient } from './uppy-client.js';

interface Body {
  blob: Blob;
  /** Offset of each file in the body. */
  starts: number[];
}

/**
 * Builds a body that refers to the files. The browser reads them when it sends. It is not a `FormData`, which cannot give a part its own
 * `Idempotency-Key`.
 */
function buildBody(items: readonly QueueItem[], boundary: string): Body {
  const pieces: BlobPart[] = [];
  const starts: number[] = [];
  let offset = 0;
  for (const item of items) {
    const head = partHead(item, boundary);
    starts.push((offset += head.length));
    pieces.push(head, item.slice(), '\r\n');
    offset += item.size + 2;
  }
  pieces.push(`--${boundary}--\r\n`);
  return { blob: new Blob(pieces), starts };
}

/** Reads one result. An unknown error code counts as a refusal. */
const readResult = (result: BatchResult | undefined): Outcome | undefined => {
  const { file, code } = Object(result) as { file?: Outcome; code?: unknown };
  if (typeof code !== 'string') return file;
  return fromErrorBody(statusOfCode(code) ?? 400, result);
};

/**
 * Sends several small files in one request. The service stores or refuses each on its own.
 * @param onProgress gets a file and how many of its bytes were sent
 * @throws BlobError if the request as a whole failed
 */
export async function sendBatch(
  client: UppyClient,
  items: readonly QueueItem[],
  { token, signal }: Omit<RequestContext, 'progress'>,
  onProgress: (item: QueueItem, sent: number) => void,
): Promise<(Outcome | undefined)[]> {
  const boundary = `svc-${items[0]!.idempotencyKey}`;
  const { blob, starts } = buildBody(items, boundary);
  let current = 0;
  const response = await client.send({
    method: 'POST',
    url: `${token.endpoint}/v1/files/batch`,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, authorization: token.authorization },
    body: blob,
    progress(loaded) {
      // Each file that is complete is reported once.
      for (; current < items.length && loaded > starts[current]!; current++) {
        const item = items[current]!;
        onProgress(item, Math.min(item.size, loaded - starts[current]!));
        if (loaded < starts[current]! + item.size) break;
      }
    },
    signal,
  });
  const { results } = readPayload(response) as { results?: BatchResult[] };
  // Results are in the order of the files. With another number of results, they cannot be assigned.
  if (!Array.isArray(results) || results.length !== items.length)
    throw new BlobError('UNEXPECTED_ANSWER', `The service responded with another number than ${items.length} results.`, {
      status: response.status,
    });
  return items.map((_item, index) => readResult(results[index]));
}
