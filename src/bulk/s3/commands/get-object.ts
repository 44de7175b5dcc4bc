import { S3Error } from '../../errors.js';
import type { Store } from '../object-store.js';
import type { HttpResponse } from '../../http/http-client.js';

export interface GetObject {
  bucket: string;
  key: string;
  /** First and last byte; all of it without. */
  range?: { start: number; end: number };
  /** Only this version of the bytes will do. */
  ifMatch?: string;
  signal: AbortSignal;
  onData?: (piece: Uint8Array, headers: Record<string, string>) => void | Promise<void>;
  /** As a wire's. */
  room?: () => Uint8Array | undefined;
}

/**
 * Source: AWS API reference, GetObject. Asks for the stored checksum as well.
 * @throws S3Error `FileChanged` where `ifMatch` does not, `UnexpectedAnswer` where another range comes than was asked for
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
      onData: (piece: Uint8Array, told: Record<string, string>) => {
        if (range !== undefined) requireSameRange(range, told['content-range']);
        return onData(piece, told);
      },
    }),
  });
  const response = await (get.ifMatch === undefined ? sending : sending.catch((error: unknown) => replaced(get.key, error)));
  if (range !== undefined && range.start > 0 && response.status !== 206)
    throw otherRange(range, `all of it (${response.status})`);
  return response;
}

function replaced(key: string, error: unknown): never {
  if ((error as S3Error).code !== 'PreconditionFailed') throw error;
  throw new S3Error('FileChanged', `${key} was replaced while it was read.`, { status: 412, cause: error });
}

/**
 * Pages are told of it only where the bucket's CORS rules expose it.
 * @throws S3Error `UnexpectedAnswer`
 */
function requireSameRange(range: { start: number; end: number }, told: string | undefined): void {
  if (told !== undefined && !told.startsWith(`bytes ${range.start}-${range.end}/`)) throw otherRange(range, told);
}

const otherRange = ({ start, end }: { start: number; end: number }, told: string): S3Error =>
  new S3Error('UnexpectedAnswer', `The store was asked for bytes ${start}-${end}, and sent ${told}.`);
