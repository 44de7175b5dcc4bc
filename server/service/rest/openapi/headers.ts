import { IDEMPOTENCY } from '../../../../src/protocol/limits.js';

export interface Header {
  description: string;
  schema: Record<string, unknown>;
}

const text = (description: string, schema: object = {}): Header => ({ description, schema: { type: 'string', ...schema } });
const count = (description: string): Header => ({ description, schema: { type: 'integer', minimum: 0 } });

/** Descriptions of headers for the OpenAPI document. The routes read and write the headers themselves. */
export const HEADERS = {
  'Idempotency-Key': text('A random id of this upload. A repeat with the same id returns the first result and stores nothing.', {
    minLength: IDEMPOTENCY.minLength,
    maxLength: IDEMPOTENCY.maxLength,
  }),
  'Repr-Digest': text('sha-256=:<base64>: of the whole file (RFC 9530). An upload with other bytes is rejected.'),
  'Content-Disposition': text("The name of the file: attachment; filename*=UTF-8''… (RFC 6266)."),
  Location: text('The URL of the resource.'),
  'Tus-Resumable': text('The version of tus.', { enum: ['1.0.0'] }),
  'Upload-Length': count('Size of the whole file in bytes.'),
  'Upload-Offset': count('Number of stored bytes.'),
  'Upload-Metadata': text('filename, filetype and options of the file, as keys and base64 values separated by commas.'),
  'Upload-Checksum': text(
    'sha1, sha256 or md5, a space, and the base64 digest of this body. Other bytes are discarded with status 460.',
  ),
  'Upload-Expires': text('The time at which an unfinished upload is deleted.'),
  'X-HTTP-Method-Override': text('The intended method.', { enum: ['PATCH', 'DELETE'] }),
  Range: text('One range: bytes=first-last.'),
  'If-Range': text('An ETag or a date. If the file has changed, the range is ignored.'),
  'If-Match': text('ETags. For another version, the status is 412.'),
  'If-None-Match': text('ETags. For one of these versions, the status is 304.'),
  'If-Modified-Since': text('A date.'),
  'If-Unmodified-Since': text('A date.'),
  ETag: text('Identifies this version of the file.'),
  'Last-Modified': text('A date.'),
  'Accept-Ranges': text('bytes or none.'),
  'Content-Range': text('The range of the response and the size of the file.'),
  'Cache-Control': text('Whether and how long caches may store the response.'),
  'X-Request-Id': text('Identifies this request in the log.'),
  'Retry-After': count('Seconds to wait before a retry.'),
  'X-RateLimit-Limit': count('Requests per minute of all API keys of the account.'),
  'X-RateLimit-Remaining': count('Requests that are left.'),
  'X-RateLimit-Reset': count('Seconds until the minute ends.'),
  'X-Quota-Limit': count('Requests per day of all API keys of the account.'),
  'X-Quota-Remaining': count('Requests that are left.'),
  'X-Quota-Reset': count('Seconds until the day ends.'),
} satisfies Record<string, Header>;

export type HeaderName = keyof typeof HEADERS;

/** Request headers of routes that receive or return files. */
export const UPLOAD_HEADERS = { 'Idempotency-Key': 'optional', 'Repr-Digest': 'optional' } as const;
export const DOWNLOAD_HEADERS = {
  Range: 'optional',
  'If-Range': 'optional',
  'If-Match': 'optional',
  'If-None-Match': 'optional',
  'If-Modified-Since': 'optional',
  'If-Unmodified-Since': 'optional',
} as const;
