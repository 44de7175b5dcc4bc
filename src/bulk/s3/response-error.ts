import { S3Error } from '../errors.js';
import type { HttpResponse } from '../http/http-client.js';
import { textOf } from './xml.js';

/** Answers without a body (HEAD, some proxies) have only their status to tell. */
const BY_STATUS: Record<number, string> = {
  301: 'PermanentRedirect',
  304: 'NotModified',
  307: 'TemporaryRedirect',
  400: 'BadRequest',
  401: 'AccessDenied',
  403: 'AccessDenied',
  404: 'NoSuchKey',
  405: 'MethodNotAllowed',
  408: 'RequestTimeout',
  409: 'OperationAborted',
  411: 'MissingContentLength',
  412: 'PreconditionFailed',
  413: 'EntityTooLarge',
  416: 'InvalidRange',
  429: 'TooManyRequests',
  500: 'InternalError',
  501: 'NotImplemented',
  503: 'SlowDown',
  507: 'QuotaExceeded',
};

/** The error an answer stands for. */
export function errorFromResponse(answer: HttpResponse, buckets: string[] = []): S3Error {
  const { status, headers } = answer;
  const xml = new TextDecoder().decode(answer.body.subarray(0, 64 * 1024));
  const stated = textOf(xml, 'Code');
  // A page or JSON in place of S3's XML: another service listens at this address.
  if (stated === undefined && (status < 300 || (xml.trim() !== '' && (status === 404 || status === 405))))
    return notS3Error(status);
  const code = stated ?? BY_STATUS[status] ?? (status >= 500 ? 'InternalError' : 'UnexpectedAnswer');
  const message = textOf(xml, 'Message') || `The store answered ${status}${stated === undefined ? '' : ' and says no more'}.`;
  const isGone = code === 'NoSuchBucket' && buckets.length > 0;
  const requestId = headers['x-amz-request-id'];
  const retryAfter = retryAfterOf(headers);
  const region = headers['x-amz-bucket-region'] ?? textOf(xml, 'Region');
  const location = headers['location'] ?? textOf(xml, 'Endpoint')?.replace(/^(?!https?:)/, '//');
  // Pages see no `Date` that no CORS rule exposes; what refuses a clock says what its own is.
  const serverTimeMs = Date.parse(textOf(xml, 'ServerTime') ?? headers['date'] ?? '');
  return new S3Error(code, isGone ? `There is no bucket ${buckets.join(' or ')}.` : message, {
    status,
    ...(requestId !== undefined && { requestId }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(region !== undefined && { region }),
    ...(location !== undefined && { location }),
    ...(!Number.isNaN(serverTimeMs) && { serverTimeMs }),
  });
}

export const notS3Error = (status: number): S3Error =>
  new S3Error('NotS3', `What answers at this address (${status}) does not speak S3.`, { status });

/**
 * The XML of a 2xx answer. A page that answers everything says 200 as well, and so does a store that fails late: only the whole
 * document says what became of the request.
 * @throws S3Error
 */
export function xmlDocument(answer: HttpResponse): string {
  const xml = new TextDecoder().decode(answer.body).trimEnd();
  const root = /<(\w+Result|Tagging)\b[^>]*/.exec(xml);
  if (root === null) throw errorFromResponse(answer);
  const empty = root[0].endsWith('/') && root.index + root[0].length === xml.length - 1;
  if (!empty && !xml.endsWith(`</${root[1]}>`))
    throw new S3Error('ConnectionFailed', 'The answer breaks off.', { status: answer.status });
  return xml;
}

/** Seconds, from seconds or an HTTP date, which is of the store's clock. */
export function retryAfterOf(headers: Readonly<Record<string, string | undefined>>): number | undefined {
  const header = headers['retry-after'];
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header);
  const [date, answered] = [Date.parse(header), Date.parse(headers['date'] ?? '')];
  return Number.isNaN(date) ? undefined : Math.max(0, (date - (answered || Date.now())) / 1000);
}
