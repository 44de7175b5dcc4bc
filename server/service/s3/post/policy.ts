import { S3ServiceError } from '../errors.js';

/**
 * The policy of a browser form: conditions on its fields and its expiry.
 * Spec: https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html
 */
export interface PostPolicy {
  /** ms since 1970. */
  expires: number;
  conditions: Condition[];
}

/** The allowed size of the file, in bytes. */
export interface SizeRange {
  min: number;
  max: number;
}

interface FieldCondition {
  kind: 'eq' | 'starts-with';
  field: string;
  value: string;
}

type Condition = FieldCondition | { kind: 'length'; min: number; max: number };

const malformed = (reason: string) => new S3ServiceError('InvalidPolicyDocument', `Invalid Policy: ${reason}`);

/** @param encoded the form's `policy` field: base64 of JSON. */
export function parsePolicy(encoded: string): PostPolicy {
  let document: unknown;
  try {
    document = JSON.parse(Buffer.from(encoded, 'base64').toString('utf8'));
  } catch (cause) {
    throw new S3ServiceError('InvalidPolicyDocument', 'Invalid Policy: Invalid JSON.', { cause });
  }
  if (typeof document !== 'object' || document === null) throw malformed('Invalid JSON.');
  const { expiration, conditions } = document as { expiration?: unknown; conditions?: unknown };
  const expires =
    typeof expiration === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(expiration) ? Date.parse(expiration) : Number.NaN;
  if (Number.isNaN(expires)) throw malformed('Invalid "expiration" value.');
  if (!Array.isArray(conditions)) throw malformed('Policy missing conditions.');
  return { expires, conditions: conditions.flatMap(parseCondition) };
}

function parseCondition(condition: unknown): Condition[] {
  if (Array.isArray(condition)) {
    const [kind, field, value] = condition as unknown[];
    if (condition.length !== 3) throw malformed('a condition has three parts.');
    if (kind === 'content-length-range') {
      const [min, max] = [byteCount(field), byteCount(value)];
      if (min === undefined || max === undefined) throw malformed('content-length-range takes two integers.');
      return [{ kind: 'length', min, max }];
    }
    if (
      (kind !== 'eq' && kind !== 'starts-with') ||
      typeof field !== 'string' ||
      typeof value !== 'string' ||
      !field.startsWith('$')
    )
      throw malformed('unknown condition.');
    return [{ kind, field: field.slice(1).toLowerCase(), value }];
  }
  if (typeof condition !== 'object' || condition === null) throw malformed('a condition is a list or an object.');
  return Object.entries(condition).map(([field, value]) => {
    if (typeof value !== 'string') throw malformed('a value is not a string.');
    return { kind: 'eq', field: field.toLowerCase(), value };
  });
}

/** Accepts a number or a string of digits. */
function byteCount(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

function isMet({ kind, field, value }: FieldCondition, actual: string): boolean {
  if (kind === 'eq') return actual === value;
  // S3 reads a content type with commas as a list. Every entry must meet the condition.
  const values = field === 'content-type' ? actual.split(',').map((item) => item.trim()) : [actual];
  return values.every((item) => item.startsWith(value));
}

/** Fields that need no condition. Every other field does, the bucket included: otherwise a policy would be valid for any bucket of the key pair. */
const FIELDS_WITHOUT_CONDITION = new Set(['x-amz-signature', 'file', 'policy']);

/**
 * Checks the fields of a form against its policy.
 * @param fields by lower-case name, including `bucket`.
 * @returns the allowed size of the file in bytes.
 * @throws S3ServiceError `AccessDenied`
 */
export function checkPolicy(policy: PostPolicy, fields: ReadonlyMap<string, string>, now: number): SizeRange {
  const denied = (reason: string) => new S3ServiceError('AccessDenied', `Invalid according to Policy: ${reason}`);
  if (now > policy.expires) throw denied('Policy expired.');
  const sizes: SizeRange = { min: 0, max: Infinity };
  const covered = new Set<string>();
  for (const condition of policy.conditions) {
    if (condition.kind === 'length') {
      sizes.min = Math.max(sizes.min, condition.min);
      sizes.max = Math.min(sizes.max, condition.max);
      continue;
    }
    const { kind, field, value } = condition;
    const actual = fields.get(field);
    covered.add(field);
    if (actual === undefined || !isMet(condition, actual))
      throw denied(`Policy Condition failed: ["${kind}", "$${field}", "${value}"]`);
  }
  for (const field of fields.keys()) {
    const needsCondition = !FIELDS_WITHOUT_CONDITION.has(field) && !field.startsWith('x-ignore-');
    if (needsCondition && !covered.has(field)) throw denied(`Extra input fields: ${field}`);
  }
  return sizes;
}
