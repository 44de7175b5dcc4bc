import { checkExpectedOwner, coversKey, rejectExpired, rejectForbiddenAddress } from '../access/authorize.js';
import type { S3Grant } from '../../identity/s3-credentials.js';
import type { BodySummary, Bucket, StoredFile } from '../../storage/blob-storage.js';
import { digestChecks } from '../body/digest-checks.js';
import type { S3Response } from '../command.js';
import { S3ServiceError } from '../errors.js';
import { parseKey } from '../messages/address.js';
import { MAX_PUT_BYTES } from '../messages/limits.js';
import { quoteEtag } from '../messages/object-headers.js';
import { objectProperties } from '../messages/object-properties.js';
import { objectUrl } from '../messages/object-url.js';
import { rejectUnsupported } from '../messages/reject-unsupported.js';
import { Headers } from '../messages/request.js';
import type { IncomingRequest, S3Request } from '../messages/request.js';
import type { LogFields, S3Service } from '../service.js';
import { ALGORITHM, hmac } from '../sigv4/canonical-request.js';
import { parseAmzDate, parseCredential } from '../sigv4/request-signature.js';
import { signingKey } from '../sigv4/signing-key.js';
import { equalSecret } from '../sigv4/verify-signature.js';
import { xmlDocument } from '../xml/write-xml.js';
import { checkPolicy, parsePolicy } from './policy.js';
import type { SizeRange } from './policy.js';
import { readForm } from './read-form.js';
import type { PostForm } from './read-form.js';

/** The fields of a form by lower-case name, with the bucket and key that are written. */
type Fields = ReadonlyMap<string, string>;

export const isPostForm = (request: S3Request): boolean =>
  request.method === 'POST' && /^multipart\/form-data\b/i.test(request.headers.get('content-type') ?? '');

/** Stores the file of a browser form with a signed policy. https://docs.aws.amazon.com/AmazonS3/latest/API/RESTObjectPOST.html */
export async function postObject(
  service: S3Service,
  request: S3Request,
  bucket: Bucket,
  incoming: IncomingRequest,
  logFields: LogFields,
): Promise<S3Response> {
  if (request.headers.get('content-length') === undefined) throw new S3ServiceError('MissingContentLength');
  const form = await readForm(request.headers.get('content-type')!, incoming.body());
  const key = resolveKey(form);
  const fields = formFields(form, bucket, key);

  const grant = await verifyPolicySignature(service, fields);
  logFields.accessKeyId = grant.id;
  rejectForbiddenAddress(grant, request);
  await service.countRequest(grant.accountId);
  rejectExpired(grant, service.now());
  const sizes = checkPolicy(parsePolicy(fields.get('policy')!), fields, service.now());
  const mayWrite = bucket.accountId === grant.accountId && !grant.readOnly && coversKey(grant, bucket, key);
  if (!mayWrite) throw new S3ServiceError('AccessDenied');

  const putRequest = asPutRequest(request, fields);
  checkExpectedOwner(request, bucket);
  checkExpectedOwner(putRequest, bucket);
  rejectUnsupported(putRequest);
  const file = await storeFile(service, putRequest, bucket, key, form, grant, sizes, incoming.signal);
  return formResponse(request, fields, bucket, key, file.etag);
}

function resolveKey(form: PostForm): string {
  const key = form.fields.get('key')?.replaceAll('${filename}', () => form.fileName);
  if (key === undefined || key === '')
    throw new S3ServiceError(
      'InvalidArgument',
      "Bucket POST must contain a field named 'key'.  If it is specified, please check the order of the fields.",
    );
  return parseKey(key)!;
}

/** The policy must allow the bucket and key that are written, so both replace the fields that the client sent. */
function formFields(form: PostForm, bucket: Bucket, key: string): Fields {
  const bucketField = form.fields.get('bucket');
  if (bucketField !== undefined && bucketField !== bucket.name)
    throw new S3ServiceError('AccessDenied', 'The form field bucket and the URL name different buckets.');
  return new Map(form.fields).set('bucket', bucket.name).set('key', key);
}

async function verifyPolicySignature(service: S3Service, fields: Fields): Promise<S3Grant> {
  const policy = fields.get('policy');
  if (policy === undefined) throw new S3ServiceError('AccessDenied');
  const [algorithm, credential, date, signature] = ['algorithm', 'credential', 'date', 'signature'].map((name) => {
    const value = fields.get(`x-amz-${name}`);
    if (value === undefined)
      throw new S3ServiceError('InvalidArgument', `Bucket POST must contain a field named 'X-Amz-${name}'.`);
    return value;
  }) as [string, string, string, string];
  if (algorithm !== ALGORITHM) throw new S3ServiceError('InvalidArgument', `X-Amz-Algorithm only supports "${ALGORITHM}"`);
  const scope = parseCredential(credential, (reason) => new S3ServiceError('InvalidArgument', `X-Amz-Credential: ${reason}`));
  if (parseAmzDate(date) === undefined || !date.startsWith(scope.date))
    throw new S3ServiceError('InvalidArgument', 'X-Amz-Date is not the date of the credential.');
  const keyPair = await service.findKeyPair(scope.accessKeyId);
  if (!keyPair) throw new S3ServiceError('InvalidAccessKeyId', undefined, { fields: { AWSAccessKeyId: scope.accessKeyId } });
  const expected = hmac(signingKey(keyPair.secret, scope.date, scope.region), policy).toString('hex');
  if (!equalSecret(expected, signature)) throw new S3ServiceError('SignatureDoesNotMatch');
  return keyPair.grant;
}

/** Reads the form fields as the headers of the equivalent PutObject request. */
function asPutRequest(request: S3Request, fields: Fields): S3Request {
  const headers = [...fields].flatMap(([name, value]) => [name === 'acl' ? 'x-amz-acl' : name, value]);
  return { ...request, headers: new Headers(headers) };
}

async function storeFile(
  service: S3Service,
  putRequest: S3Request,
  bucket: Bucket,
  key: string,
  form: PostForm,
  grant: S3Grant,
  sizes: SizeRange,
  signal: AbortSignal,
): Promise<StoredFile> {
  const payload = { size: 0, chunks: form.file, sha256: undefined, trailers: new Map(), trailerNames: [] };
  const digests = digestChecks(putRequest, payload);
  const storage = { accountId: bucket.accountId, bucketId: bucket.id };
  const { file } = await service.blobs.put(storage, key, form.file, {
    ...objectProperties(putRequest),
    credential: { kind: 's3', id: grant.id },
    maxSize: Math.min(sizes.max, MAX_PUT_BYTES),
    hashers: digests.hashers,
    check(summary) {
      checkMinimumSize(summary, sizes.min);
      digests.check(summary);
    },
    signal,
  });
  return file;
}

function checkMinimumSize({ size }: BodySummary, min: number): void {
  if (size >= min) return;
  const fields = { ProposedSize: String(size), MinSizeAllowed: String(min) };
  throw new S3ServiceError('EntityTooSmall', undefined, { fields });
}

/** Redirects to `success_action_redirect`, or responds with the status in `success_action_status`. */
function formResponse(request: S3Request, fields: Fields, bucket: Bucket, key: string, etag: string): S3Response {
  const location = objectUrl(request, bucket.name, key);
  const redirect = fields.get('success_action_redirect') ?? fields.get('redirect');
  if (redirect !== undefined && URL.canParse(redirect) && /^https?:/i.test(redirect)) {
    const target = new URL(redirect);
    target.searchParams.set('bucket', bucket.name);
    target.searchParams.set('key', key);
    target.searchParams.set('etag', quoteEtag(etag));
    return { status: 303, headers: { location: target.href, etag: quoteEtag(etag) } };
  }
  const headers = { location, etag: quoteEtag(etag) };
  const status = fields.get('success_action_status');
  if (status === '201') {
    const result = { Location: location, Bucket: bucket.name, Key: key, ETag: quoteEtag(etag) };
    return { status: 201, headers, body: xmlDocument('PostResponse', result) };
  }
  return { status: status === '200' ? 200 : 204, headers };
}
