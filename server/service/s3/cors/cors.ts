import { requireBucket } from '../buckets.js';
import { corsRules, matchingRule } from './cors-rules.js';
import type { CorsRule } from './cors-rules.js';
import { S3Error } from '../errors.js';
import type { Answer, S3Service } from '../service.js';
import type { Address } from '../messages/address.js';
import type { S3Request } from '../messages/request.js';

/** Header names that one preflight may ask for; pages send a handful. */
const MAX_ASKED = 100;
const VARY = 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method';

const listed = (text: string | undefined) =>
  (text ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

/** The answer to OPTIONS: a browser's question, asked without a signature. */
export async function preflight(service: S3Service, request: S3Request, address: Address): Promise<Answer> {
  const origin = request.headers.get('origin');
  const method = request.headers.get('access-control-request-method');
  if (origin === undefined) throw new S3Error('InvalidRequest', 'Insufficient information. Origin request header needed.');
  if (method === undefined) throw new S3Error('InvalidRequest', 'Invalid Access-Control-Request-Method: null');
  const asked = listed(request.headers.get('access-control-request-headers'));
  // Each name is compared with every pattern of the bucket's rules, for anybody who asks.
  const isTooMuch = asked.length > MAX_ASKED;
  const rules = address.bucket === undefined || isTooMuch ? [] : corsRules(await requireBucket(service, address.bucket));
  const rule = matchingRule(rules, origin, method, asked);
  if (!rule)
    throw new S3Error('AccessForbidden', undefined, {
      fields: { Method: method, ResourceType: address.key === undefined ? 'BUCKET' : 'OBJECT' },
    });
  return {
    status: 200,
    headers: {
      ...grants(rule, origin),
      'access-control-allow-methods': rule.methods.join(', '),
      ...(asked.length > 0 && { 'access-control-allow-headers': asked.join(', ').toLowerCase() }),
      ...(rule.maxAge !== undefined && { 'access-control-max-age': String(rule.maxAge) }),
    },
  };
}

/** What goes with the answer to a page's request, refusals too, so that the page can read them. */
export async function corsHeaders(
  service: S3Service,
  request: S3Request,
  address: Address,
): Promise<Record<string, string> | undefined> {
  const origin = request.headers.get('origin');
  if (origin === undefined || address.bucket === undefined || request.method === 'OPTIONS') return undefined;
  const bucket = await service.blobs.findBucket(address.bucket);
  const method = request.headers.get('access-control-request-method') ?? request.method;
  const rule = bucket && matchingRule(corsRules(bucket), origin, method, []);
  return rule && { ...grants(rule, origin), 'access-control-allow-methods': rule.methods.join(', ') };
}

function grants(rule: CorsRule, origin: string): Record<string, string> {
  const open = rule.origins.includes('*');
  return {
    'access-control-allow-origin': open ? '*' : origin,
    ...(!open && { 'access-control-allow-credentials': 'true' }),
    ...(rule.expose.length > 0 && { 'access-control-expose-headers': rule.expose.join(', ') }),
    vary: VARY,
  };
}
