import { authorizeAnyone, isUnsigned } from './access/anonymous.js';
import { authorize, authorizeTarget, refuseAddress, refuseExpired } from './access/authorize.js';
import { requireBucket } from './buckets.js';
import { corsHeaders, preflight } from './cors/cors.js';
import { S3Error, toS3Error } from './errors.js';
import { postObject } from './post/object.js';
import { commandFor } from './routing.js';
import type { Answer, Call, Command, Incoming, S3Service, Trace } from './service.js';
import { verifySignature } from './sigv4/verify.js';
import { parseAddress } from './messages/address.js';
import type { Address } from './messages/address.js';
import { readPayload } from './messages/payload.js';
import { parseRequest } from './messages/request.js';
import type { S3Request } from './messages/request.js';
import { refuseUnsupported } from './messages/unsupported.js';
import { xmlError } from './xml/write.js';

/** The S3 endpoint without sockets: every request gets an answer, errors as XML. @param trace filled for the log. */
export async function handle(service: S3Service, incoming: Incoming, trace: Trace): Promise<Answer> {
  let request: S3Request | undefined;
  let address: Address | undefined;
  let answer: Answer;
  try {
    request = parseRequest(incoming, service.trustedProxies);
    address = parseAddress(request.headers.get('host') ?? '', request.path, service.domains);
    Object.assign(trace, address);
    answer = await dispatch(service, request, address, incoming, trace);
  } catch (error) {
    const failure = toS3Error(error);
    trace.code = failure.code;
    if (failure.status >= 500) trace.cause = failure.cause;
    answer = errorAnswer(failure, incoming, request);
  }
  const cors = request && address && (await corsHeaders(service, request, address).catch(() => undefined));
  if (!cors) return answer;
  const vary = [answer.headers?.['vary'], cors['vary']].filter((one) => one !== undefined).join(', ');
  return { ...answer, headers: { ...answer.headers, ...cors, vary } };
}

async function dispatch(
  service: S3Service,
  request: S3Request,
  address: Address,
  incoming: Incoming,
  trace: Trace,
): Promise<Answer> {
  if (request.method === 'OPTIONS') return preflight(service, request, address);
  if (isForm(request) && address.bucket !== undefined && address.key === undefined) {
    trace.command = 'PostObject';
    return postObject(service, request, await requireBucket(service, address.bucket), incoming, trace);
  }

  if (isUnsigned(request)) {
    const command = commandFor(request, address);
    trace.command = command.name;
    if (address.bucket === undefined || command.on === 'name') throw new S3Error('AccessDenied');
    if (command.on === 'bucket') await service.admitListing(request.client.address);
    const bucket = await requireBucket(service, address.bucket);
    const grant = await authorizeAnyone(service, request, command, bucket, address.key);
    return runCommand(command, { service, request, grant, payload: nothing, signal: incoming.signal }, address);
  }
  const verified = await verifySignature(request, service.findCredential, service.now());
  const { grant } = verified;
  trace.accessKeyId = grant.id;
  const command = commandFor(request, address);
  trace.command = command.name;
  refuseAddress(grant, request);
  await service.admit(grant.accountId);
  refuseExpired(grant, service.now());
  refuseUnsupported(request);
  authorize(grant, command);
  // Opened when it is first read, so that nothing is asked of a client that can be refused before.
  const source = { [Symbol.asyncIterator]: () => incoming.body()[Symbol.asyncIterator]() };
  const payload = () => readPayload(request, verified, source);
  return runCommand(command, { service, request, grant, payload, signal: incoming.signal }, address);
}

async function runCommand(command: Command, call: Call, address: Address): Promise<Answer> {
  if (command.on === 'service') return command.run(call);
  const bucketName = address.bucket!;
  if (command.on === 'name') return command.run({ ...call, bucketName });
  const bucket = await requireBucket(call.service, bucketName);
  // In the bucket of another account everyone has the rights of everyone.
  const isOwn = bucket.accountId === call.grant.accountId;
  const grant = isOwn ? call.grant : await authorizeAnyone(call.service, call.request, command, bucket, address.key);
  authorizeTarget(grant, command, bucket, call.request, address.key);
  const inBucket = { ...call, grant, bucketName, bucket, storage: { accountId: bucket.accountId, bucketId: bucket.id } };
  return command.on === 'bucket' ? command.run(inBucket) : command.run({ ...inBucket, key: address.key! });
}

/** Who is nobody writes nothing, so there is no body to read. */
function nothing(): never {
  throw new S3Error('AccessDenied');
}

const isForm = (request: S3Request) =>
  request.method === 'POST' && /^multipart\/form-data\b/i.test(request.headers.get('content-type') ?? '');

/** An error as S3 writes it: Code, Message, what it is about, Resource, RequestId. */
export function errorAnswer(failure: S3Error, incoming: Pick<Incoming, 'id' | 'method' | 'url'>, request?: S3Request): Answer {
  const bare = failure.status === 304 || incoming.method === 'HEAD';
  const body = xmlError({
    Code: failure.code,
    Message: failure.message,
    Resource: request?.path ?? incoming.url.split('?')[0],
    ...failure.fields,
    RequestId: incoming.id,
  });
  return {
    status: failure.status,
    headers: { ...failure.headers, ...(!bare && { 'content-type': 'application/xml' }) },
    ...(!bare && { body }),
  };
}
