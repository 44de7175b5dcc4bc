import type { S3Error } from './errors.js';
import { isRetryable, isStoreFull } from './error-kinds.js';

/** Advice by error code, for people who use a command or read a summary. */
const ADVICE: Record<string, string> = {
  AccessDenied: 'Check the policy of the access key for this bucket and prefix.',
  AuthorizationHeaderMalformed: 'Give the region of the bucket with --region.',
  BadRequest: 'The store states no reason. Check the address, http or https, the region and the keys.',
  BucketAlreadyExists: 'Choose another name. This bucket belongs to another account.',
  BucketNotEmpty: 'Delete the objects of the bucket first: svc-blob rm -r.',
  BudgetExhausted: 'The store failed too often. Run the same command again later.',
  ChecksumMismatch:
    'Bytes were damaged on the way or in the store. Run again. If it happens again, check the network and the store.',
  ConnectionFailed: 'Check the address and the network, then run the same command again.',
  CredentialsMissing:
    'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile with --profile. For svc-blob serve, svc-blob s3-credentials create prints them.',
  EntityTooLarge: 'The store refuses objects of this size. Ask its operator for the limit.',
  ExpiredToken: 'The credentials have expired. Renew them and run the same command again.',
  FileChanged: 'The file changed while it was read. Run again when it no longer changes.',
  InvalidAccessKeyId: 'The store does not know this access key. Check the key and the address.',
  InvalidBucketName: 'Use 3 to 63 lower-case letters, digits, dots and hyphens.',
  InvalidLocationConstraint: 'Give a region of the store with --region.',
  InvalidOption: 'Correct the option and run the same command again.',
  JournalLocked: 'Wait until the other run ends, or run without a journal: --no-resume.',
  JournalUnwritable: 'Name a writable folder with --state-dir, or run without a journal: --no-resume.',
  ListenerFailed: '`onEvent` or `onProgress` threw an error. Fix the callback.',
  ListingBroken:
    'Check whether a cache or proxy changes the responses of the store. Directory buckets list keys in no order: use cp -r for them, not sync or verify.',
  NameTaken:
    'Move the existing file away, or choose another target. If the store has both `a` and `a/b`, leave one out: --exclude.',
  NameUnsafe: 'Copy this object by itself with cp and give the target another name, or leave it out with --exclude.',
  NoSuchBucket: 'Create the bucket (svc-blob mb), or check its name and the address.',
  NoSuchKey: 'Check the name. It is wrong, or the object was deleted.',
  NoSuchUpload: 'The store no longer knows the upload. Run the same command again to start a new one.',
  NotDeleted: 'Fix what failed and run the same command again. It deletes when everything else has succeeded.',
  NotEqual: 'Copy the file again. Keep the older copy until you know which one is right.',
  NothingThere: 'Check the name. It is wrong, or the objects were deleted. Patterns belong in --include.',
  NotS3: 'Check --endpoint or AWS_ENDPOINT_URL. It must name the S3 endpoint (for svc-blob serve, port 9000 instead of 8080).',
  PeerMissing: 'Run that npm command (with -g if svc-uploader is installed globally), then run the same command again.',
  PermanentRedirect: 'The bucket is at another address. Give its region with --region, or its address with --endpoint.',
  PreconditionFailed: 'The object exists already or changed meanwhile. Run again to see its present state.',
  ProxyFailed: 'Check HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY, and whether the proxy can reach the store.',
  QuotaExceeded:
    'The storage is full. Delete objects or ask the operator for more. Unfinished uploads count as well: svc-blob ls --incomplete.',
  RequestTimeTooSkewed: 'Set the clock of this machine.',
  ScratchUnwritable: 'Set TMPDIR to a folder with more space.',
  SignatureDoesNotMatch: 'The secret access key does not match this access key, or a proxy changes requests.',
  SlowDown: 'The store is overloaded. Run again later, or with a lower --concurrency.',
  SourceUnreadable: 'Check that the file exists and may be read. To leave it out, use --exclude, or --symlinks skip for links.',
  Stalled: 'The connection stopped moving bytes. Run the same command again.',
  StoreAway: 'Check the store and the network, then run the same command again.',
  TargetFull: 'Free space on the disk of the target directory, or raise its quota, then run the same command again.',
  TargetReadOnly: 'Mount the disk of the target directory as writable, or choose another directory.',
  TargetUnwritable: 'Check the free space and the permissions of the target directory.',
  TemporaryGone: 'Run the same command again, when no other run writes to this directory.',
  TemporaryRedirect: 'The bucket is at another address. Give its region with --region, or its address with --endpoint.',
  TlsFailed: 'The certificate of the store is not trusted. Name its authority with AWS_CA_BUNDLE or NODE_EXTRA_CA_CERTS.',
  TooMuchToDelete:
    'Check that the source is the right one and complete. To delete that many items, raise the limit: --max-delete.',
  UnexpectedAnswer: 'This is unexpected. Look at the cause of the error, and report it if it happens again.',
};

/** A store may send any code, also the name of a property that every JavaScript object has. */
const adviceFor = (code: string): string | undefined => (Object.hasOwn(ADVICE, code) ? ADVICE[code] : undefined);

/** Returns a sentence that tells a person how to fix an error. */
export function advice(error: S3Error): string {
  const { code } = (error.cause ?? {}) as { code?: unknown };
  if (code === 'EMFILE' || code === 'ENFILE')
    return 'Too many files are open. Raise the limit (ulimit -n), or lower --concurrency.';
  return (
    error.advice ??
    adviceFor(isStoreFull(error) ? 'QuotaExceeded' : error.code) ??
    (isRetryable(error) ? ADVICE['BudgetExhausted']! : 'This is the message of the store. Its operator can look up the request.')
  );
}
