import { S3Error } from '../errors.js';
import type { HttpResponse } from '../http/http-client.js';
import { textOf } from './xml.js';

/** Codes for responses without an XML body, such as those to HEAD or of some proxies. */
const CODE_BY_STATUS: Record<number, string> = {
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

/**
 * Converts a response to an error.
 * @param buckets names for the message if the store reports a missing bucket
 */
export function errorFromResponse(response: HttpResponse, buckets: string[] = []): S3Error {
  const { status, headers } = response;
  const xml = new TextDecoder().decode(response.body.subarray(0, 64 * 1024));
  const stated = textOf(xml, 'Code');
  // HTML or JSON instead of XML: another service listens at this address.
  if (stated === undefined && (status < 300 || (xml.trim() !== '' && (status === 404 || status === 405))))
    return notS3Error(status);
  const code = stated ?? CODE_BY_STATUS[status] ?? (status >= 500 ? 'InternalError' : 'UnexpectedAnswer');
  const message =
    textOf(xml, 'Message') || `The store responded with status ${status}${stated === undefined ? '' : ' and gave no message'}.`;
  const isMissingBucket = code === 'NoSuchBucket' && buckets.length > 0;
  const requestId = headers['x-amz-request-id'];
  const retryAfter = retryAfterOf(headers);
  const region = headers['x-amz-bucket-region'] ?? textOf(xml, 'Region');
  const location = headers['location'] ?? textOf(xml, 'Endpoint')?.replace(/^(?!https?:)/, '//');
  // CORS rules may hide `Date` from a page. A store that refuses the clock states its own time.
  const serverTimeMs = Date.parse(textOf(xml, 'ServerTime') ?? headers['date'] ?? '');
  return new S3Error(code, isMissingBucket ? `There is no bucket ${buckets.join(' or ')}.` : message, {
    status,
    ...(requestId !== undefined && { requestId }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(region !== undefined && { region }),
    ...(location !== undefined && { location }),
    ...(!Number.isNaN(serverTimeMs) && { serverTimeMs }),
  });
}

/** Creates the error for a server that is not an S3 store. */
export const notS3Error = (status: number): S3Error =>
  new S3Error('NotS3', `The server at this address is not an S3 endpoint; it responded with status ${status}.`, { status });

/**
 * Returns the XML of a 2xx response. Only a complete document proves success: a store that fails late has already sent status 200,
 * and other services respond to every request with 200.
 * @throws S3Error the error in the body, `NotS3`, or `ConnectionFailed` if the document is incomplete
 */
export function xmlDocument(response: HttpResponse): string {
  const xml = new TextDecoder().decode(response.body).trimEnd();
  const root = /<(\w+Result|Tagging)\b[^>]*/.exec(xml);
  if (root === null) throw errorFromResponse(response);
  const isEmptyRoot = root[0].endsWith('/') && root.index + root[0].length === xml.length - 1;
  if (!isEmptyRoot && !xml.endsWith(`</${root[1]}>`))
    throw new S3Error('ConnectionFailed', 'The response ended before its XML was complete.', { status: response.status });
  return xml;
}

/** Returns the seconds of a `Retry-After` header. An HTTP date is compared with the clock of the store. */
export function retryAfterOf(headers: Readonly<Record<string, string | undefined>>): number | undefined {
  const header = headers['retry-after'];
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header);
  const [retryTime, responseTime] = [Date.parse(header), Date.parse(headers['date'] ?? '')];
  return Number.isNaN(retryTime) ? undefined : Math.max(0, (retryTime - (responseTime || Date.now())) / 1000);
}
