import { authorizeAnonymous, isUnsigned } from './access/anonymous.js';
import { authorizeCommand, authorizeTarget, rejectExpired, rejectForbiddenAddress } from './access/authorize.js';
import { readPayload } from './body/payload.js';
import type { Command, CommandContext, S3Response } from './command.js';
import { corsHeaders, preflightResponse } from './cors/cors.js';
import { S3ServiceError, toS3Error } from './errors.js';
import { findCommand } from './find-command.js';
import { parseAddress } from './messages/address.js';
import type { Address } from './messages/address.js';
import { errorResponse } from './messages/error-response.js';
import { rejectUnsupported } from './messages/reject-unsupported.js';
import { parseRequest } from './messages/request.js';
import type { IncomingRequest, S3Request } from './messages/request.js';
import { requireBucket } from './objects/require-target.js';
import { isPostForm, postObject } from './post/post-object.js';
import type { LogFields, S3Service } from './service.js';
import { verifySignature } from './sigv4/verify-signature.js';

/**
 * Handles one request without access to its socket. Errors become XML responses.
 * @param logFields receives what the log entry should contain.
 */
export async function handleRequest(service: S3Service, incoming: IncomingRequest, logFields: LogFields): Promise<S3Response> {
  let request: S3Request | undefined;
  let address: Address | undefined;
  let response: S3Response;
  try {
    request = parseRequest(incoming, service.trustedProxies);
    address = parseAddress(request.headers.get('host') ?? '', request.path, service.domains);
    Object.assign(logFields, address);
    response = await dispatch(service, request, address, incoming, logFields);
  } catch (cause) {
    const error = toS3Error(cause);
    logFields.code = error.code;
    if (error.status >= 500) logFields.cause = error.cause;
    response = errorResponse(error, incoming, request);
  }
  return request && address ? addCorsHeaders(service, request, address, response) : response;
}

/** Adds CORS headers to successes and errors, so that pages can read both. */
async function addCorsHeaders(
  service: S3Service,
  request: S3Request,
  address: Address,
  response: S3Response,
): Promise<S3Response> {
  const cors = await corsHeaders(service, request, address).catch(() => undefined);
  if (!cors) return response;
  const vary = [response.headers?.['vary'], cors['vary']].filter((value) => value !== undefined).join(', ');
  return { ...response, headers: { ...response.headers, ...cors, vary } };
}

async function dispatch(
  service: S3Service,
  request: S3Request,
  address: Address,
  incoming: IncomingRequest,
  logFields: LogFields,
): Promise<S3Response> {
  if (request.method === 'OPTIONS') return preflightResponse(service, request, address);
  if (isPostForm(request) && address.bucket !== undefined && address.key === undefined) {
    logFields.command = 'PostObject';
    const bucket = await requireBucket(service, address.bucket);
    logFields.account = bucket.accountId;
    return postObject(service, request, bucket, incoming, logFields);
  }
  if (isUnsigned(request)) return runAnonymous(service, request, address, incoming, logFields);
  return runSigned(service, request, address, incoming, logFields);
}

async function runAnonymous(
  service: S3Service,
  request: S3Request,
  address: Address,
  { signal }: IncomingRequest,
  logFields: LogFields,
): Promise<S3Response> {
  const command = findCommand(request, address);
  logFields.command = command.name;
  if (address.bucket === undefined || command.target === 'bucket-name') throw new S3ServiceError('AccessDenied');
  if (command.target === 'bucket') await service.countListing(request.client.address);
  const bucket = await requireBucket(service, address.bucket);
  logFields.account = bucket.accountId;
  const grant = await authorizeAnonymous(service, request, command, bucket, address.key);
  return runCommand(command, { service, request, grant, payload: rejectBody, signal }, address);
}

async function runSigned(
  service: S3Service,
  request: S3Request,
  address: Address,
  incoming: IncomingRequest,
  logFields: LogFields,
): Promise<S3Response> {
  const verified = await verifySignature(request, service.findKeyPair, service.now());
  const { grant } = verified;
  logFields.accessKeyId = grant.id;
  logFields.account = grant.accountId;
  const command = findCommand(request, address);
  logFields.command = command.name;
  rejectForbiddenAddress(grant, request);
  await service.countRequest(grant.accountId);
  rejectExpired(grant, service.now());
  rejectUnsupported(request);
  authorizeCommand(grant, command);
  // The body is opened on the first read. A request that is rejected before that never gets "100 Continue".
  const source = { [Symbol.asyncIterator]: () => incoming.body()[Symbol.asyncIterator]() };
  const payload = () => readPayload(request, verified, source);
  return runCommand(command, { service, request, grant, payload, signal: incoming.signal }, address);
}

async function runCommand(command: Command, context: CommandContext, address: Address): Promise<S3Response> {
  if (command.target === 'service') return command.run(context);
  const bucketName = address.bucket!;
  if (command.target === 'bucket-name') return command.run({ ...context, bucketName });
  const bucket = await requireBucket(context.service, bucketName);
  // In the bucket of another account, a key pair has only the permissions of an anonymous client.
  const isOwn = bucket.accountId === context.grant.accountId;
  const grant = isOwn ? context.grant : await authorizeAnonymous(context.service, context.request, command, bucket, address.key);
  authorizeTarget(grant, command, bucket, context.request, address.key);
  const storage = { accountId: bucket.accountId, bucketId: bucket.id };
  const inBucket = { ...context, grant, bucketName, bucket, storage };
  return command.target === 'bucket' ? command.run(inBucket) : command.run({ ...inBucket, key: address.key! });
}

/** Anonymous requests never write, so their bodies are not read. */
function rejectBody(): never {
  throw new S3ServiceError('AccessDenied');
}
