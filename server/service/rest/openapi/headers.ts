import { IDEMPOTENCY } from '../../../../src/protocol/limits.js';

export interface Header {
  description: string;
  schema: Record<string, unknown>;
}

const text = (description: string, schema: object = {}): Header => ({ description, schema: { type: 'string', ...schema } });
const count = (description: string): Header => ({ description, schema: { type: 'integer', minimum: 0 } });

/** What the OpenAPI document says of headers; the routes themselves judge and write them. */
export const HEADERS = {
  'Idempotency-Key': text('Your random id of this file: a repeat under it answers with the first result and stores nothing.', {
    minLength: IDEMPOTENCY.minLength,
    maxLength: IDEMPOTENCY.maxLength,
  }),
  'Repr-Digest': text('sha-256=:<base64>: of the whole file (RFC 9530). Of one that is sent, other bytes are refused.'),
  'Content-Disposition': text("attachment; filename*=UTF-8''…: the file's name (RFC 6266)."),
  Location: text('Where it is now.'),
  'Tus-Resumable': text('The version of the protocol.', { enum: ['1.0.0'] }),
  'Upload-Length': count('Bytes of the whole file.'),
  'Upload-Offset': count('Bytes that are stored.'),
  'Upload-Metadata': text('filename, filetype and options of the file: keys and base64 values, separated by commas.'),
  'Upload-Checksum': text(
    'sha1, sha256 or md5, a blank and the base64 digest of this request’s bytes: other bytes are discarded with 460.',
  ),
  'Upload-Expires': text('When the upload is forgotten if no bytes come.'),
  'X-HTTP-Method-Override': text('What the request is meant to be.', { enum: ['PATCH', 'DELETE'] }),
  Range: text('One range of bytes: bytes=first-last.'),
  'If-Range': text('An ETag or a date: the range holds for that version, else all of the file is answered.'),
  'If-Match': text('ETags: of another version the answer is 412.'),
  'If-None-Match': text('ETags: of these the answer is 304.'),
  'If-Modified-Since': text('A date.'),
  'If-Unmodified-Since': text('A date.'),
  ETag: text('Names this version of the bytes.'),
  'Last-Modified': text('A date.'),
  'Accept-Ranges': text('bytes, or none.'),
  'Content-Range': text('Which bytes these are, and of how many.'),
  'Cache-Control': text('Who may keep it, and how long.'),
  'X-Request-Id': text('Names this request in the log.'),
  'Retry-After': count('Seconds to wait before the next try, where one is of use.'),
  'X-RateLimit-Limit': count("Requests a minute with the account's API keys."),
  'X-RateLimit-Remaining': count('Of these, how many are left.'),
  'X-RateLimit-Reset': count('Seconds until the minute ends.'),
  'X-Quota-Limit': count("Requests a day with the account's API keys."),
  'X-Quota-Remaining': count('Of these, how many are left.'),
  'X-Quota-Reset': count('Seconds until the day ends.'),
} satisfies Record<string, Header>;

export type HeaderName = keyof typeof HEADERS;

/** What a route understands that takes bytes, or gives them. */
export const OF_UPLOADS = { 'Idempotency-Key': 'optional', 'Repr-Digest': 'optional' } as const;
export const OF_READS = {
  Range: 'optional',
  'If-Range': 'optional',
  'If-Match': 'optional',
  'If-None-Match': 'optional',
  'If-Modified-Since': 'optional',
  'If-Unmodified-Since': 'optional',
} as const;
