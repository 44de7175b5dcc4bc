import type { BlobError, ErrorCode } from '../../../src/protocol/errors.js';
import { asBlobError } from '../http/errors.js';

/** The error codes of the endpoint, with S3's statuses and messages (AWS S3 API reference, "Error responses"). */
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

/** An error that the S3 endpoint returns to its client. */
export class S3ServiceError extends Error {
  override readonly name = 'S3ServiceError';
  readonly code: S3ErrorCode;
  readonly status: number;
  /** Further elements of the XML document, for example `Key` or `ArgumentName`. */
  readonly fields: Readonly<Record<string, string>>;
  /** Headers of the response, for example the ETag of a 304. */
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

/** Builds an `InvalidArgument` error with the name and the value of the invalid argument. */
export const invalidArgument = (name: string, value: string, message: string): S3ServiceError =>
  new S3ServiceError('InvalidArgument', message, { fields: { ArgumentName: name, ArgumentValue: value } });

const CODE_BY_BLOB_CODE: Partial<Record<ErrorCode, S3ErrorCode>> = {
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
  FILE_INFECTED: 'AccessDenied',
  OPERATION_IN_PROGRESS: 'ConditionalRequestConflict',
};

/** These errors keep the message of the BlobError, which names the field and the limit. Others get S3's message. */
const KEEPS_MESSAGE: ReadonlySet<S3ErrorCode> = new Set(['InvalidArgument', 'EntityTooLarge', 'AccessDenied', 'TooManyUploads']);

function toS3Code({ code, details }: BlobError): S3ErrorCode | undefined {
  // A full account is the client's problem; a full disk is the operator's.
  if (code === 'STORAGE_FULL' && 'quota_bytes' in details) return 'QuotaExceeded';
  // The upload was completed or aborted while a part was being received.
  if (code === 'FILE_NOT_FOUND' && 'upload_id' in details) return 'NoSuchUpload';
  // Retrying later does not help here, unlike with request rates.
  if (details['reason'] === 'open_uploads') return 'TooManyUploads';
  if (details['reason'] === 'too_many_buckets') return 'TooManyBuckets';
  if (details['reason'] === 'incomplete') return 'IncompleteBody';
  // S3 clients repeat a request after a 503, which helps while a file waits for its scan.
  if (code === 'FILE_NOT_SCANNED') return details['scan'] === 'pending' ? 'ServiceUnavailable' : 'AccessDenied';
  return CODE_BY_BLOB_CODE[code];
}

/** Converts any error to an S3 error. Unexpected errors become `InternalError`, whose message reveals nothing. */
export function toS3Error(error: unknown): S3ServiceError {
  if (error instanceof S3ServiceError) return error;
  const blobError = asBlobError(error);
  const code = toS3Code(blobError);
  if (code === undefined) return new S3ServiceError('InternalError', undefined, { cause: error });
  const { message, details } = blobError;
  const retryAfter = code === 'TooManyUploads' ? undefined : details['retry_after'];
  return new S3ServiceError(code, KEEPS_MESSAGE.has(code) || blobError.code === 'FILE_NOT_SCANNED' ? message : undefined, {
    ...(typeof retryAfter === 'number' && { headers: { 'retry-after': String(Math.ceil(retryAfter)) } }),
    cause: error,
  });
}
