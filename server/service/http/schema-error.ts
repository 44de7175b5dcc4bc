import type { FastifySchemaValidationError } from 'fastify';
import { validationError } from '../../../src/protocol/errors.js';

type Schema = Record<string, unknown>;

/**
 * Converts the errors of a schema to one that names the first invalid field, its rule and its value.
 * @param part of the request, for example `body` or `querystring`.
 */
export function schemaError(errors: FastifySchemaValidationError[], part: string, schema: unknown, value: unknown): Error {
  const first = errors[0];
  if (!first) return validationError(part, 'is not valid');
  const path = first.instancePath.split('/').filter(Boolean);
  const field = path.join('.');
  const missing = (first.params as { requiredProperties?: string[] }).requiredProperties?.[0];
  if (missing !== undefined) return validationError([field, missing].filter(Boolean).join('.'), 'is required');
  const unknown = (first.params as { additionalProperties?: string[] }).additionalProperties?.[0];
  if (unknown !== undefined || first.message === 'schema is false')
    return validationError(unknown ?? field, 'is not a field of this request');
  const rule = describeRule(schemaAt(schema as Schema, path)) ?? first.message ?? 'is not valid';
  return validationError(
    field || part,
    `${rule}${describeValue(valueAt(value, path))}`,
    hasLiteral(errors, first.instancePath) ? undefined : { details: first.params },
  );
}

/** Returns whether the field must be one of several literals. The parameters of a single literal would mislead clients. */
const hasLiteral = (errors: FastifySchemaValidationError[], path: string): boolean =>
  errors.some(({ instancePath, params }) => instancePath === path && 'allowedValue' in params);

function schemaAt(schema: Schema, path: readonly string[]): Schema {
  let current = schema;
  for (const name of path) {
    const { properties, items } = current as { properties?: Record<string, Schema>; items?: Schema };
    current = properties?.[name] ?? items ?? {};
  }
  return current;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const name of path) current = (current as Record<string, unknown> | null | undefined)?.[name];
  return current;
}

/** Describes what a schema allows. @returns undefined for schemas without a simple description. */
function describeRule(schema: Schema): string | undefined {
  const kind = describeKind(schema);
  return kind === undefined ? undefined : `must be ${kind}`;
}

function describeKind(schema: Schema): string | undefined {
  const { anyOf, type } = schema as { anyOf?: Schema[]; type?: string };
  if ('const' in schema) return JSON.stringify(schema['const']);
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => JSON.stringify(value)).join(' or ');
  if (anyOf) {
    const kinds = anyOf.map(describeKind);
    return kinds.includes(undefined) ? undefined : kinds.join(' or ');
  }
  if (type === 'null') return 'null';
  if (type === 'boolean') return 'true or false';
  if (type === 'integer') return `an integer${range(schema['minimum'], schema['maximum'])}`;
  if (type === 'string' && schema['format'] === undefined)
    return `a string${range(schema['minLength'], schema['maxLength'], ' characters')}`;
  if (type === 'array') return `a list${range(schema['minItems'], schema['maxItems'], ' items')}`;
  return undefined;
}

/** @returns for example ` from 1 to 100`, ` of at least 1` or ` of at most 20 items`. */
function range(min: unknown, max: unknown, unit = ''): string {
  const hasMax = max !== undefined && max !== Number.MAX_SAFE_INTEGER;
  if (min !== undefined && hasMax) return `${unit === '' ? ' from' : ' of'} ${String(min)} to ${String(max)}${unit}`;
  if (min !== undefined) return ` of at least ${String(min)}${unit}`;
  return hasMax ? ` of at most ${String(max)}${unit}` : '';
}

/** Describes a value without repeating long texts and passwords. */
function describeValue(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return `; got a string of ${value.length} characters`;
  if (Array.isArray(value)) return `; got ${value.length} items`;
  if (typeof value === 'object' && value !== null) return '; got an object';
  return `; got ${String(value)}`;
}
