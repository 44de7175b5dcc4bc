import type { S3Error } from './errors.js';
import { isRetryable, isStoreFull } from './error-kinds.js';

const ADVICE: Record<string, string> = {
  AccessDenied: 'The key may not do this: check its policy for this bucket and prefix.',
  BadRequest:
    'The store does not say more: check the address, whether it is to begin with https or http, the region and the keys.',
  BucketAlreadyExists: 'Choose another name: another account has it.',
  BucketNotEmpty: 'Delete what is in it: svc-blob rm -r.',
  BudgetExhausted: 'The store failed too often. Run the same command again later.',
  ChecksumMismatch: 'Bytes were damaged on the way or in the store. Run again; if it stays, check the network and the store.',
  ConnectionFailed: 'Check the address and the network, then run the same command again.',
  CredentialsMissing: 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile with --profile.',
  EntityTooLarge: 'The store takes no object of this size: ask its operator for the limit.',
  ExpiredToken: 'The credentials ran out: renew them and run the same command again.',
  FileChanged: 'The file was written to while it was read: run again when it is at rest.',
  InvalidAccessKeyId: 'The store does not know this access key: check the key and the address.',
  NameTaken:
    'Move away what stands there, or choose another target. Where the store has both `a` and `a/b`, leave one out: --exclude.',
  NameUnsafe: 'Give it another name, as cp of an object by itself does, or leave it out with --exclude.',
  NoSuchBucket: 'Make the bucket (svc-blob mb), or check its name and the address.',
  NoSuchKey: 'Check the name: it is wrong, or what lay there was removed.',
  InvalidOption: 'Correct it and run the same command again.',
  InvalidBucketName: 'Say 3 to 63 small letters, digits, dots and hyphens.',
  InvalidLocationConstraint: 'Say a region of the store with --region.',
  JournalLocked: 'Wait for that run to end, or go without a journal: --no-resume.',
  JournalUnwritable: 'Name a folder that can be written to with --state-dir, or go without a journal: --no-resume.',
  ListenerFailed: 'Mend what onEvent, or onProgress, does.',
  ListingBroken:
    'Look for a cache or a proxy before the store. Directory buckets tell their keys in no order: cp -r takes them, sync and verify cannot.',
  NotS3: 'Check --endpoint or AWS_ENDPOINT_URL: it has to name the S3 endpoint (of svc-blob serve: port 9000, not 8080).',
  NoSuchUpload: 'The store no longer knows the upload: run the same command again, it begins anew.',
  NotDeleted: 'Mend what failed and run the same command again: it deletes when everything else is done.',
  NothingThere: 'Check the name: it is wrong, or what lay there was removed. Patterns are said with --include.',
  NotEqual: 'Copy it again, and keep the older copy until you know which one is right.',
  AuthorizationHeaderMalformed: 'Say the region of the bucket with --region.',
  PeerMissing: 'Run that, with -g where svc-uploader was installed so, and then the same command again.',
  StoreAway: 'Look after the store, or the network, then run the same command again.',
  PermanentRedirect: 'The bucket is elsewhere. Name its region with --region, or its address with --endpoint.',
  TemporaryRedirect: 'The bucket is elsewhere. Name its region with --region, or its address with --endpoint.',
  PreconditionFailed: 'It exists already, or changed meanwhile; run again to see what stands there now.',
  ProxyFailed: 'Check HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY, and whether the proxy may reach the store.',
  TooMuchToDelete:
    'Look whether the source is the right one, and whole. If all of that is to go, say how many may: --max-delete.',
  TlsFailed: 'The store’s certificate is not trusted here: name its authority with AWS_CA_BUNDLE or NODE_EXTRA_CA_CERTS.',
  ScratchUnwritable: 'Name a folder with more room with TMPDIR.',
  QuotaExceeded:
    'The storage is full: make room there, or ask its operator for more. Uploads that were begun and not ended count as well: svc-blob ls --incomplete.',
  RequestTimeTooSkewed: 'Set the clock of this machine.',
  SignatureDoesNotMatch: 'The secret access key is wrong for this access key, or a proxy changes requests.',
  SlowDown: 'The store is overloaded: run again later, or with a lower --concurrency.',
  SourceUnreadable: 'Check that it exists and may be read, or leave it out: --exclude, and --symlinks skip for links.',
  Stalled: 'The connection stood still: run the same command again.',
  TargetFull: 'Make room on the disk of the target directory, or raise its quota, then run the same command again.',
  TargetReadOnly: 'Mount the disk of the target directory so that it can be written to, or choose another directory.',
  UnexpectedAnswer: 'Nobody expected that: look at the cause, and report it where it stays.',
  TemporaryGone: 'Run the same command again, when no other run writes there.',
  TargetUnwritable: 'Check the space and the rights in the target directory.',
};

/** A store may state any code, also one that every object has. */
const adviceFor = (code: string): string | undefined => (Object.hasOwn(ADVICE, code) ? ADVICE[code] : undefined);

/** Returns what a person can do about an error. */
export function advice(error: S3Error): string {
  const { code } = (error.cause ?? {}) as { code?: unknown };
  if (code === 'EMFILE' || code === 'ENFILE')
    return 'Too many files are open: raise the limit (ulimit -n), or lower --concurrency.';
  return (
    error.advice ??
    adviceFor(isStoreFull(error) ? 'QuotaExceeded' : error.code) ??
    (isRetryable(error) ? ADVICE['BudgetExhausted']! : 'The message is the store’s own; its operator can look up the request.')
  );
}
