import { S3Error } from '../../errors.js';
import type { Store } from '../object-store.js';
import type { HttpResponse } from '../../http/http-client.js';

/** Request to read an object or a range of it. */
export interface GetObject {
  bucket: string;
  key: string;
  /** First and last byte. @default the whole object */
  range?: { start: number; end: number };
  /** ETag that the object must have. @default any */
  ifMatch?: string;
  signal: AbortSignal;
  /** Receives the body in pieces. @default the body is returned in the response */
  onData?: (piece: Uint8Array, headers: Record<string, string>) => void | Promise<void>;
  /** See `HttpRequest.room`. */
  room?: () => Uint8Array | undefined;
}

/**
 * Reads an object. Requests the stored checksum as well.
 * @throws S3Error `FileChanged` if the object has another ETag, `UnexpectedAnswer` if the store sends another range
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
 */
export async function getObject(store: Store, get: GetObject): Promise<HttpResponse> {
  const headers: Record<string, string> = { 'x-amz-checksum-mode': 'ENABLED' };
  if (get.range !== undefined) headers['range'] = `bytes=${get.range.start}-${get.range.end}`;
  if (get.ifMatch !== undefined) headers['if-match'] = `"${get.ifMatch}"`;
  const { onData, range } = get;
  const sending = store.send({
    method: 'GET',
    bucket: get.bucket,
    key: get.key,
    headers,
    signal: get.signal,
    ...(get.room && { room: get.room }),
    ...(onData && {
      onData: (piece: Uint8Array, responseHeaders: Record<string, string>) => {
        if (range !== undefined) requireSameRange(range, responseHeaders['content-range']);
        return onData(piece, responseHeaders);
      },
    }),
  });
  const response = await (get.ifMatch === undefined
    ? sending
    : sending.catch((error: unknown) => throwIfReplaced(get.key, error)));
  if (range !== undefined && range.start > 0 && response.status !== 206)
    throw wrongRange(range, `the whole object (${response.status})`);
  return response;
}

/** @throws S3Error `FileChanged`, or `error` if it has another reason */
function throwIfReplaced(key: string, error: unknown): never {
  if ((error as S3Error).code !== 'PreconditionFailed') throw error;
  throw new S3Error('FileChanged', `${key} was replaced while it was read.`, { status: 412, cause: error });
}

/**
 * Compares the range of a response with the requested one. A page gets the header only if the CORS rules of the bucket expose it.
 * @throws S3Error `UnexpectedAnswer`
 */
function requireSameRange(range: { start: number; end: number }, contentRange: string | undefined): void {
  if (contentRange !== undefined && !contentRange.startsWith(`bytes ${range.start}-${range.end}/`))
    throw wrongRange(range, contentRange);
}

const wrongRange = ({ start, end }: { start: number; end: number }, received: string): S3Error =>
  new S3Error('UnexpectedAnswer', `Bytes ${start}-${end} were requested, but the store sent ${received}.`);
