import { S3Error } from './errors.js';
import type { WireAnswer } from './wire.js';
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
};

/** The error an answer stands for. */
export function answerError(answer: WireAnswer): S3Error {
  const { status, headers } = answer;
  const xml = new TextDecoder().decode(answer.body.subarray(0, 64 * 1024));
  const stated = textOf(xml, 'Code');
  // A page or JSON in place of S3's XML: another service listens at this address.
  if (stated === undefined && xml.trim() !== '' && (status === 404 || status === 405))
    return new S3Error('NotS3', `What answers at this address (${status}) does not speak S3.`, { status });
  const code = stated ?? BY_STATUS[status] ?? (status >= 500 ? 'InternalError' : 'UnexpectedAnswer');
  const message = textOf(xml, 'Message') ?? `The store answered ${status}.`;
  const requestId = headers['x-amz-request-id'];
  const retryAfter = retryAfterOf(headers['retry-after']);
  const region = headers['x-amz-bucket-region'] ?? textOf(xml, 'Region');
  const location = headers['location'] ?? textOf(xml, 'Endpoint')?.replace(/^(?!https?:)/, '//');
  const serverTimeMs = Date.parse(headers['date'] ?? '');
  return new S3Error(code, message === '' ? code : message, {
    status,
    ...(requestId !== undefined && { requestId }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(region !== undefined && { region }),
    ...(location !== undefined && { location }),
    ...(!Number.isNaN(serverTimeMs) && { serverTimeMs }),
  });
}

/** Seconds, from seconds or an HTTP date. */
export function retryAfterOf(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - Date.now()) / 1000);
}
