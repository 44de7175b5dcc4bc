import { BlobError, fromErrorBody, statusOfCode } from '../../protocol/errors.js';
import type { BatchResult } from '../../protocol/types.js';
import { readPayload } from './response.js';
import type { QueueItem } from '../queue-item.js';
import type { Outcome } from '../scheduler/retry-decision.js';
import { fileHeaders } from './send-single.js';
import type { TransferContext } from './send-single.js';
import type { UppyClient } from './uppy-client.js';

/** The head of a part. FormData cannot give a part its own `Idempotency-Key`, hence a body of our own. */
const headOf = (item: QueueItem, boundary: string): string => {
  const headers = fileHeaders(item);
  headers['content-disposition'] = headers['content-disposition']!.replace('attachment', 'form-data; name="file"');
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `--${boundary}\r\n${lines.join('')}\r\n`;
};

interface Body {
  blob: Blob;
  /** Where in the body each file begins. */
  starts: number[];
}

/** A body that refers to the files: the browser reads them when it sends. */
function bodyOf(items: readonly QueueItem[], boundary: string): Body {
  const pieces: BlobPart[] = [];
  const starts: number[] = [];
  let offset = 0;
  for (const item of items) {
    // Heads are ASCII: names are in them only as RFC 8187 writes them.
    const head = headOf(item, boundary);
    starts.push((offset += head.length));
    pieces.push(head, item.slice(), '\r\n');
    offset += item.size + 2;
  }
  pieces.push(`--${boundary}--\r\n`);
  return { blob: new Blob(pieces), starts };
}

/** A code that nobody here knows is a no like any other. */
const outcomeOf = (result: BatchResult | undefined): Outcome | undefined => {
  const { file, code } = Object(result) as { file?: Outcome; code?: unknown };
  if (typeof code !== 'string') return file;
  return fromErrorBody(statusOfCode(code) ?? 400, result);
};

/**
 * Many small files as one request; each is judged, used and stored by itself.
 * @param progress is told which file has how many bytes on their way
 * @throws BlobError when the request as a whole failed
 */
export async function sendBatch(
  wire: UppyClient,
  items: readonly QueueItem[],
  { token, signal }: Omit<TransferContext, 'progress'>,
  progress: (item: QueueItem, sent: number) => void,
): Promise<(Outcome | undefined)[]> {
  const boundary = `svc-${items[0]!.idempotencyKey}`;
  const { blob, starts } = bodyOf(items, boundary);
  let current = 0;
  const answer = await wire.send({
    method: 'POST',
    url: `${token.endpoint}/v1/files/batch`,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, authorization: token.authorization },
    body: blob,
    progress(loaded) {
      // Files before the one under way are told of once.
      for (; current < items.length && loaded > starts[current]!; current++) {
        const item = items[current]!;
        progress(item, Math.min(item.size, loaded - starts[current]!));
        if (loaded < starts[current]! + item.size) break;
      }
    },
    signal,
  });
  const { results } = readPayload(answer) as { results?: BatchResult[] };
  // Results stand in the order of the files. With another number of them, none can be told apart.
  if (!Array.isArray(results) || results.length !== items.length)
    throw new BlobError('UNEXPECTED_ANSWER', `The service did not answer with ${items.length} results.`, {
      status: answer.status,
    });
  return items.map((_item, index) => outcomeOf(results[index]));
}
