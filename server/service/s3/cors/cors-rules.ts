import type { Bucket } from '../../storage/blobs.js';
import { S3Error } from '../errors.js';
import { childText, readXml } from '../xml/read.js';
import type { XmlElement } from '../xml/read.js';
import { xmlDocument } from '../xml/write.js';

/** One rule of a bucket's CORS configuration, as it is kept in the bucket's settings. */
export interface CorsRule {
  id?: string;
  origins: string[];
  methods: string[];
  headers: string[];
  expose: string[];
  maxAge?: number;
}

const MAX_RULES = 100;
const METHODS = new Set(['GET', 'PUT', 'POST', 'DELETE', 'HEAD']);

export const corsRules = (bucket: Bucket): CorsRule[] => (bucket.settings['cors'] as CorsRule[] | undefined) ?? [];

/** @throws S3Error `MalformedXML`, `InvalidRequest`. */
export function parseRules(text: string): CorsRule[] {
  const rules = (readXml(text, 'CORSConfiguration').children.get('CORSRule') ?? []).map(parseRule);
  if (rules.length === 0 || rules.length > MAX_RULES) throw new S3Error('MalformedXML');
  return rules;
}

function parseRule(rule: XmlElement): CorsRule {
  const texts = (name: string) => (rule.children.get(name) ?? []).map((one) => one.text.trim());
  const id = childText(rule, 'ID');
  const maxAge = childText(rule, 'MaxAgeSeconds')?.trim();
  const parsed = {
    origins: texts('AllowedOrigin'),
    methods: texts('AllowedMethod'),
    headers: texts('AllowedHeader'),
    expose: texts('ExposeHeader'),
    ...(id !== undefined && { id }),
    ...(maxAge !== undefined && { maxAge: Number(maxAge) }),
  };
  if (parsed.origins.length === 0 || parsed.methods.length === 0 || (maxAge !== undefined && !/^\d{1,9}$/.test(maxAge)))
    throw new S3Error('MalformedXML');
  const method = parsed.methods.find((one) => !METHODS.has(one));
  if (method !== undefined)
    throw new S3Error('InvalidRequest', `Found unsupported HTTP method in CORS config. Unsupported method is ${method}`);
  const wild = [...parsed.origins, ...parsed.headers].find((one) => one.split('*').length > 2);
  if (wild !== undefined) throw new S3Error('InvalidRequest', `"${wild}" can not have more than one wildcard.`);
  // oxlint-disable-next-line no-control-regex -- finding control characters is its job
  if (parsed.expose.some((one) => /[^\u0021-\u007e]/.test(one)))
    throw new S3Error('InvalidRequest', 'ExposeHeader is not a header name.');
  return parsed;
}

export const rulesXml = (rules: readonly CorsRule[]): string =>
  xmlDocument('CORSConfiguration', {
    CORSRule: rules.map((rule) => ({
      ID: rule.id,
      AllowedOrigin: rule.origins,
      AllowedMethod: rule.methods,
      AllowedHeader: rule.headers,
      ExposeHeader: rule.expose,
      MaxAgeSeconds: rule.maxAge,
    })),
  });

/** Whether a pattern with at most one `*` covers a value. */
function covers(pattern: string, value: string): boolean {
  const star = pattern.indexOf('*');
  if (star === -1) return pattern === value;
  const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)];
  return value.length >= before.length + after.length && value.startsWith(before) && value.endsWith(after);
}

/** The first rule for an origin, a method and the headers a preflight asks for. */
export const matchingRule = (
  rules: readonly CorsRule[],
  origin: string,
  method: string,
  headers: readonly string[],
): CorsRule | undefined =>
  rules.find(
    (rule) =>
      rule.methods.includes(method) &&
      rule.origins.some((one) => covers(one, origin)) &&
      headers.every((header) => rule.headers.some((one) => covers(one.toLowerCase(), header.toLowerCase()))),
  );
