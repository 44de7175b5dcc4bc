import { requireBucket } from '../objects/require-target.js';
import { corsRules, findCorsRule } from './cors-rules.js';
import type { CorsRule } from './cors-rules.js';
import { S3ServiceError } from '../errors.js';
import type { S3Response } from '../command.js';
import type { S3Service } from '../service.js';
import type { Address } from '../messages/address.js';
import type { S3Request } from '../messages/request.js';

/** Header names that one preflight may request. Each is compared with every pattern of the rules, and anyone may send preflights. */
const MAX_REQUESTED_HEADERS = 100;
const VARY = 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method';

const splitList = (text: string | undefined) =>
  (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** Responds to an OPTIONS request, which browsers send without a signature. @throws S3ServiceError `AccessForbidden`, `InvalidRequest` */
export async function preflightResponse(service: S3Service, request: S3Request, address: Address): Promise<S3Response> {
  const origin = request.headers.get('origin');
  const method = request.headers.get('access-control-request-method');
  if (origin === undefined) throw new S3ServiceError('InvalidRequest', 'Insufficient information. Origin request header needed.');
  if (method === undefined) throw new S3ServiceError('InvalidRequest', 'Invalid Access-Control-Request-Method: null');
  const requestedHeaders = splitList(request.headers.get('access-control-request-headers'));
  const hasTooMany = requestedHeaders.length > MAX_REQUESTED_HEADERS;
  const rules = address.bucket === undefined || hasTooMany ? [] : corsRules(await requireBucket(service, address.bucket));
  const rule = findCorsRule(rules, origin, method, requestedHeaders);
  if (!rule)
    throw new S3ServiceError('AccessForbidden', undefined, {
      fields: { Method: method, ResourceType: address.key === undefined ? 'BUCKET' : 'OBJECT' },
    });
  return {
    status: 200,
    headers: {
      ...originHeaders(rule, origin),
      'access-control-allow-methods': rule.methods.join(', '),
      ...(requestedHeaders.length > 0 && { 'access-control-allow-headers': requestedHeaders.join(', ').toLowerCase() }),
      ...(rule.maxAge !== undefined && { 'access-control-max-age': String(rule.maxAge) }),
    },
  };
}

/** Returns the CORS headers of the response to a page's request. @returns undefined if no rule allows the origin. */
export async function corsHeaders(
  service: S3Service,
  request: S3Request,
  address: Address,
): Promise<Record<string, string> | undefined> {
  const origin = request.headers.get('origin');
  if (origin === undefined || address.bucket === undefined || request.method === 'OPTIONS') return undefined;
  const bucket = await service.blobs.findBucket(address.bucket);
  const method = request.headers.get('access-control-request-method') ?? request.method;
  const rule = bucket && findCorsRule(corsRules(bucket), origin, method, []);
  return rule && { ...originHeaders(rule, origin), 'access-control-allow-methods': rule.methods.join(', ') };
}

function originHeaders(rule: CorsRule, origin: string): Record<string, string> {
  const allowsAll = rule.origins.includes('*');
  return {
    'access-control-allow-origin': allowsAll ? '*' : origin,
    ...(!allowsAll && { 'access-control-allow-credentials': 'true' }),
    ...(rule.expose.length > 0 && { 'access-control-expose-headers': rule.expose.join(', ') }),
    vary: VARY,
  };
}
