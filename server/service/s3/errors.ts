import type { BlobError, ErrorCode } from '../../../src/protocol/errors.js';
import { asBlobError } from '../http/errors.js';

/** The codes this endpoint answers, with S3's status and wording (AWS S3 API reference, "Error responses"). */
const CODES = {
  AccessDenied: [403, 'Access Denied'],
  AccessForbidden: [403, 'CORSResponse: This CORS request is not allowed.'],
  AuthorizationHeaderMalformed: [400, 'The authorization header that you provided is not valid.'],
  AuthorizationQueryParametersError: [400, 'The authorization query parameters that you provided are not valid.'],
  BadDigest: [400, 'The Content-MD5 or checksum value that you specified did not match what the server received.'],
  BucketAlreadyExists: [409, 'The requested bucket name is not available. Select a different name and try again.'],
  BucketAlreadyOwnedByYou: [409, 'The bucket that you tried to create already exists, and you own it.'],
  BucketNotEmpty: [409, 'The bucket that you tried to delete is not empty.'],
  ConditionalRequestConflict: [409, 'A conflicting operation occurred. If using PutObject you can retry the request.'],
  EntityTooLarge: [400, 'Your proposed upload exceeds the maximum allowed object size.'],
  EntityTooSmall: [400, 'Your proposed upload is smaller than the minimum allowed object size.'],
  ExpiredToken: [400, 'The provided token has expired.'],
  IncompleteBody: [400, 'You did not provide the number of bytes specified by the Content-Length HTTP header.'],
  InsufficientStorage: [507, 'The disk of this service is full; nothing was stored.'],
  InternalError: [500, 'An internal error occurred. Try again.'],
  InvalidAccessKeyId: [403, 'The access key ID that you provided does not exist in our records.'],
  InvalidArgument: [400, 'Invalid Argument'],
  InvalidBucketName: [400, 'The specified bucket is not valid.'],
  InvalidDigest: [400, 'The Content-MD5 or checksum value that you specified is not valid.'],
  InvalidPart: [400, 'One or more of the specified parts could not be found, or its entity tag did not match.'],
  InvalidPartOrder: [
    400,
    'The list of parts was not in ascending order. The parts list must be specified in order by part number.',
  ],
  InvalidPolicyDocument: [400, 'The content of the form does not meet the conditions specified in the policy document.'],
  InvalidRange: [416, 'The requested range is not satisfiable'],
  InvalidRequest: [400, 'Invalid Request'],
  InvalidTag: [400, 'The tag provided was not a valid tag.'],
  InvalidURI: [400, 'The specified URI could not be parsed.'],
  KeyTooLongError: [400, 'Your key is too long'],
  MalformedPOSTRequest: [400, 'The body of your POST request is not well-formed multipart/form-data.'],
  MalformedTrailerError: [
    400,
    'The request contained trailing data that was not well-formed or did not conform to our published schema.',
  ],
  MalformedXML: [400, 'The XML that you provided was not well-formed or did not validate against our published schema.'],
  MaxMessageLengthExceeded: [400, 'Your request was too large.'],
  MaxPostPreDataLengthExceededError: [400, 'Your POST request fields preceding the upload file were too large.'],
  MetadataTooLarge: [400, 'Your metadata headers exceed the maximum allowed metadata size.'],
  MethodNotAllowed: [405, 'The specified method is not allowed against this resource.'],
  MissingContentLength: [411, 'You must provide the Content-Length HTTP header.'],
  MissingSecurityHeader: [400, 'Your request was missing a required header.'],
  NoSuchBucket: [404, 'The specified bucket does not exist'],
  NoSuchCORSConfiguration: [404, 'The CORS configuration does not exist'],
  NoSuchKey: [404, 'The specified key does not exist.'],
  NoSuchTagSet: [404, 'There is no tag set associated with the bucket.'],
  NoSuchUpload: [
    404,
    'The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
  ],
  NoSuchVersion: [404, 'The version ID specified in the request does not match an existing version.'],
  NotImplemented: [501, 'A header or query you provided implies functionality that is not implemented.'],
  NotModified: [304, 'Not Modified'],
  PreconditionFailed: [412, 'At least one of the pre-conditions you specified did not hold'],
  QuotaExceeded: [403, 'The storage of this account is full.'],
  RequestTimeout: [400, 'Your socket connection to the server was not read from or written to within the timeout period.'],
  RequestTimeTooSkewed: [403, "The difference between the request time and the server's time is too large."],
  ServiceUnavailable: [503, 'Service is unable to handle request.'],
  SignatureDoesNotMatch: [
    403,
    'The request signature that we calculated does not match the signature you provided. Check your key and signing method.',
  ],
  SlowDown: [503, 'Please reduce your request rate.'],
  TooManyBuckets: [400, 'You have attempted to create more buckets than are allowed.'],
  TooManyUploads: [400, 'You have more unfinished multipart uploads than are allowed. Complete or abort some of them.'],
  XAmzContentSHA256Mismatch: [400, 'The provided x-amz-content-sha256 header does not match what was computed.'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type S3ErrorCode = keyof typeof CODES;

/** What a refused S3 request answers. `fields` become further elements of the XML error (Key, ArgumentName …). */
export class S3Error extends Error {
  override readonly name = 'S3Error';
  readonly code: S3ErrorCode;
  readonly status: number;
  readonly fields: Readonly<Record<string, string>>;
  /** Headers that go with the answer, for example the entity tag of a 304. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: S3ErrorCode,
    message: string = CODES[code][1],
    options: { fields?: Record<string, string>; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = CODES[code][0];
    this.fields = options.fields ?? {};
    this.headers = options.headers ?? {};
  }
}

/** `InvalidArgument` with the name and value at fault, as S3 writes it. */
export const invalidArgument = (name: string, value: string, message: string): S3Error =>
  new S3Error('InvalidArgument', message, { fields: { ArgumentName: name, ArgumentValue: value } });

const FROM_BLOB: Partial<Record<ErrorCode, S3ErrorCode>> = {
  FILE_NOT_FOUND: 'NoSuchKey',
  FILE_EXISTS: 'PreconditionFailed',
  PRECONDITION_FAILED: 'PreconditionFailed',
  CHECKSUM_MISMATCH: 'BadDigest',
  BLOB_FILE_TOO_LARGE: 'EntityTooLarge',
  BLOCKED_FILE_TYPE: 'AccessDenied',
  API_KEY_INVALID: 'InvalidAccessKeyId',
  API_KEY_SCOPE_DENIED: 'AccessDenied',
  INVALID_RANGE: 'InvalidRange',
  INVALID_PATH: 'InvalidArgument',
  VALIDATION_ERROR: 'InvalidArgument',
  STORAGE_FULL: 'InsufficientStorage',
  RATE_LIMIT_EXCEEDED: 'SlowDown',
  DAILY_QUOTA_EXCEEDED: 'SlowDown',
  SERVICE_UNAVAILABLE: 'ServiceUnavailable',
  UPLOAD_TOO_SLOW: 'RequestTimeout',
  OPERATION_IN_PROGRESS: 'ConditionalRequestConflict',
};

function codeOf({ code, details }: BlobError): S3ErrorCode | undefined {
  // An account that is full is no disk that is full: waiting or another server would not help.
  if (code === 'STORAGE_FULL' && 'quota_bytes' in details) return 'QuotaExceeded';
  // Somebody ended it while its parts were on their way.
  if (code === 'FILE_NOT_FOUND' && 'upload_id' in details) return 'NoSuchUpload';
  // Waiting would not help, unlike with other rates.
  if (details['reason'] === 'open_uploads') return 'TooManyUploads';
  if (details['reason'] === 'too_many_buckets') return 'TooManyBuckets';
  if (details['reason'] === 'incomplete') return 'IncompleteBody';
  return FROM_BLOB[code];
}

/** Any failure as the S3 answer it stands for; what is not ours stays an InternalError whose text tells nothing. */
export function toS3Error(error: unknown): S3Error {
  if (error instanceof S3Error) return error;
  const known = asBlobError(error);
  const code = codeOf(known);
  if (code === undefined) return new S3Error('InternalError', undefined, { cause: error });
  // The product's words name the field and the rule, so they are kept where S3's wording would hide them.
  const { message, details } = known;
  const keep = code === 'InvalidArgument' || code === 'EntityTooLarge' || code === 'AccessDenied' || code === 'TooManyUploads';
  const wait = code === 'TooManyUploads' ? undefined : details['retry_after'];
  return new S3Error(code, keep ? message : undefined, {
    ...(typeof wait === 'number' && { headers: { 'retry-after': String(Math.ceil(wait)) } }),
    cause: error,
  });
}
