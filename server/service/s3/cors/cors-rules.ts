import type { Bucket } from '../../storage/blob-storage.js';
import { S3ServiceError } from '../errors.js';
import { childText, readXml } from '../xml/read-xml.js';
import type { XmlElement } from '../xml/read-xml.js';
import { xmlDocument } from '../xml/write-xml.js';

/** A rule of a bucket's CORS configuration, as stored in the settings of the bucket. */
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

/** @throws S3ServiceError `MalformedXML`, `InvalidRequest`. */
export function parseCorsRules(text: string): CorsRule[] {
  const rules = (readXml(text, 'CORSConfiguration').children.get('CORSRule') ?? []).map(parseRule);
  if (rules.length === 0 || rules.length > MAX_RULES) throw new S3ServiceError('MalformedXML');
  return rules;
}

function parseRule(rule: XmlElement): CorsRule {
  const texts = (name: string) => (rule.children.get(name) ?? []).map(({ text }) => text.trim());
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
    throw new S3ServiceError('MalformedXML');
  const method = parsed.methods.find((name) => !METHODS.has(name));
  if (method !== undefined)
    throw new S3ServiceError('InvalidRequest', `Found unsupported HTTP method in CORS config. Unsupported method is ${method}`);
  const invalidPattern = [...parsed.origins, ...parsed.headers].find((pattern) => pattern.split('*').length > 2);
  if (invalidPattern !== undefined)
    throw new S3ServiceError('InvalidRequest', `"${invalidPattern}" can not have more than one wildcard.`);
  // oxlint-disable-next-line no-control-regex -- must find control characters
  if (parsed.expose.some((name) => /[^\u0021-\u007e]/.test(name)))
    throw new S3ServiceError('InvalidRequest', 'ExposeHeader is not a header name.');
  return parsed;
}

export const corsRulesXml = (rules: readonly CorsRule[]): string =>
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

/** @param pattern with at most one `*`. */
function matchesPattern(pattern: string, value: string): boolean {
  const star = pattern.indexOf('*');
  if (star === -1) return pattern === value;
  const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)];
  return value.length >= before.length + after.length && value.startsWith(before) && value.endsWith(after);
}

/** Finds the first rule that allows an origin, a method and all requested headers. */
export const findCorsRule = (
  rules: readonly CorsRule[],
  origin: string,
  method: string,
  headers: readonly string[],
): CorsRule | undefined =>
  rules.find(
    (rule) =>
      rule.methods.includes(method) &&
      rule.origins.some((pattern) => matchesPattern(pattern, origin)) &&
      headers.every((header) => rule.headers.some((pattern) => matchesPattern(pattern.toLowerCase(), header.toLowerCase()))),
  );
