import type { Bucket } from '../../storage/blobs.js';
import { authorizeOwner, reaches, refuseAddress, refuseExpired } from '../access/authorize.js';
import { S3Error } from '../errors.js';
import { checkPolicy, parsePolicy } from './policy.js';
import { readForm } from './form.js';
import type { PostForm } from './form.js';
import type { Answer, Incoming, S3Service, Trace } from '../service.js';
import { ALGORITHM, hmac } from '../sigv4/canonical.js';
import { parseAmzDate, parseCredential } from '../sigv4/claim.js';
import { signingKey } from '../sigv4/signing-key.js';
import { equalSecret } from '../sigv4/verify.js';
import { parseKey } from '../messages/address.js';
import { bodyChecks } from '../messages/body-checks.js';
import { objectUrl } from '../messages/object-url.js';
import { quoted } from '../messages/object-headers.js';
import { objectProperties } from '../messages/properties.js';
import { Headers } from '../messages/request.js';
import type { S3Request } from '../messages/request.js';
import { MAX_PUT } from '../messages/sizes.js';
import { refuseUnsupported } from '../messages/unsupported.js';
import { xmlDocument } from '../xml/write.js';

/** A browser's form, opened by a signed policy. https://docs.aws.amazon.com/AmazonS3/latest/API/RESTObjectPOST.html */
export async function postObject(
  service: S3Service,
  request: S3Request,
  bucket: Bucket,
  incoming: Incoming,
  trace: Trace,
): Promise<Answer> {
  if (request.headers.get('content-length') === undefined) throw new S3Error('MissingContentLength');
  const form = await readForm(request.headers.get('content-type')!, incoming.body());
  const key = formKey(form);
  const named = form.fields.get('bucket');
  if (named !== undefined && named !== bucket.name)
    throw new S3Error('AccessDenied', 'The form field bucket names another bucket than the address.');
  // The policy is judged on the bucket and key that are written, after `${filename}` was replaced.
  const fields = new Map(form.fields).set('bucket', bucket.name).set('key', key);
  const grant = await verifyPolicy(service, fields);
  trace.accessKeyId = grant.id;
  refuseAddress(grant, request);
  await service.admit(grant.accountId);
  refuseExpired(grant, service.now());
  const { min, max } = checkPolicy(parsePolicy(fields.get('policy')!), fields, service.now());
  if (bucket.accountId !== grant.accountId || grant.readOnly || !reaches(grant, bucket, key)) throw new S3Error('AccessDenied');

  // The fields are the headers of the put this form stands for.
  const stated = {
    ...request,
    headers: new Headers([...fields].flatMap(([name, value]) => [name === 'acl' ? 'x-amz-acl' : name, value])),
  };
  for (const one of [request, stated]) authorizeOwner(one, bucket);
  refuseUnsupported(stated);
  const { hashers, check } = bodyChecks(stated, {
    size: 0,
    chunks: form.file,
    sha256: undefined,
    trailers: new Map(),
    trailerNames: [],
  });
  const { file } = await service.blobs.put({ accountId: bucket.accountId, bucketId: bucket.id }, key, form.file, {
    ...objectProperties(stated),
    credential: { kind: 's3', id: grant.id },
    maxSize: Math.min(max, MAX_PUT),
    hashers,
    check(facts) {
      if (facts.size < min)
        throw new S3Error('EntityTooSmall', undefined, {
          fields: { ProposedSize: String(facts.size), MinSizeAllowed: String(min) },
        });
      check(facts);
    },
    signal: incoming.signal,
  });
  return formAnswer(request, fields, bucket, key, file.etag);
}

function formKey(form: PostForm): string {
  const key = form.fields.get('key')?.replaceAll('${filename}', () => form.fileName);
  if (key === undefined || key === '')
    throw new S3Error(
      'InvalidArgument',
      "Bucket POST must contain a field named 'key'.  If it is specified, please check the order of the fields.",
    );
  return parseKey(key)!;
}

async function verifyPolicy(service: S3Service, fields: ReadonlyMap<string, string>) {
  const policy = fields.get('policy');
  if (policy === undefined) throw new S3Error('AccessDenied');
  const [algorithm, credential, date, signature] = ['algorithm', 'credential', 'date', 'signature'].map((name) => {
    const value = fields.get(`x-amz-${name}`);
    if (value === undefined) throw new S3Error('InvalidArgument', `Bucket POST must contain a field named 'X-Amz-${name}'.`);
    return value;
  }) as [string, string, string, string];
  if (algorithm !== ALGORITHM) throw new S3Error('InvalidArgument', `X-Amz-Algorithm only supports "${ALGORITHM}"`);
  const claim = parseCredential(credential, (why) => new S3Error('InvalidArgument', `X-Amz-Credential: ${why}`));
  if (parseAmzDate(date) === undefined || !date.startsWith(claim.date))
    throw new S3Error('InvalidArgument', 'X-Amz-Date is not the date of the credential.');
  const found = await service.findCredential(claim.accessKeyId);
  if (!found) throw new S3Error('InvalidAccessKeyId', undefined, { fields: { AWSAccessKeyId: claim.accessKeyId } });
  const expected = hmac(signingKey(found.secret, claim.date, claim.region), policy).toString('hex');
  if (!equalSecret(expected, signature)) throw new S3Error('SignatureDoesNotMatch');
  return found.grant;
}

function formAnswer(request: S3Request, fields: ReadonlyMap<string, string>, bucket: Bucket, key: string, etag: string): Answer {
  const location = objectUrl(request, bucket.name, key);
  const redirect = fields.get('success_action_redirect') ?? fields.get('redirect');
  if (redirect !== undefined && URL.canParse(redirect) && /^https?:/i.test(redirect)) {
    const target = new URL(redirect);
    target.searchParams.set('bucket', bucket.name);
    target.searchParams.set('key', key);
    target.searchParams.set('etag', quoted(etag));
    return { status: 303, headers: { location: target.href, etag: quoted(etag) } };
  }
  const headers = { location, etag: quoted(etag) };
  const status = fields.get('success_action_status');
  if (status === '201')
    return {
      status: 201,
      headers,
      body: xmlDocument('PostResponse', { Location: location, Bucket: bucket.name, Key: key, ETag: quoted(etag) }),
    };
  return { status: status === '200' ? 200 : 204, headers };
}
