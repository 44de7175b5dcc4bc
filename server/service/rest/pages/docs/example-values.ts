import type { OpenApi } from '../../openapi/openapi.js';

type Json = Record<string, unknown>;

/** Examples of fields whose schema does not show a useful value. */
const KNOWN: Record<string, unknown> = {
  path: 'photos/beach.jpg',
  prefix: 'photos',
  name: 'example',
  title: 'Summer 2026',
  email: 'ana@example.org',
  password: 'violet anchor tunnel',
  host: 'files.example.org',
  scopes: ['blob:read'],
  permissions: ['blob:read'],
  ids: ['FILE_ID'],
  url: 'https://example.org',
  account: 'main',
  color: '#2f54eb',
  redirect_uri: 'https://example.org/callback',
  response_type: 'code',
  code_challenge_method: 'S256',
  'Upload-Length': '11',
  // The name beach.jpg in base64.
  'Upload-Metadata': 'filename YmVhY2guanBn',
  'Upload-Offset': '0',
  'Content-Disposition': 'attachment; filename="beach.jpg"',
};

/** Follows a reference to a schema of the document. */
export function resolveSchema(document: OpenApi, schema: Json): Json {
  const name = /^#\/components\/schemas\/(.+)$/.exec(String(schema['$ref'] ?? ''))?.[1];
  return name === undefined ? schema : (document.components.schemas[name] ?? {});
}

/** Returns a valid value of a schema as far as the schema tells. Objects have their required fields, or else their first one. */
export function exampleValue(document: OpenApi, referring: Json, name = ''): unknown {
  const schema = resolveSchema(document, referring);
  const [given] = (schema['examples'] ?? []) as unknown[];
  if (given !== undefined) return given;
  const alternatives = (schema['anyOf'] ?? schema['oneOf']) as Json[] | undefined;
  if (alternatives) return exampleValue(document, alternatives.find((alternative) => alternative['type'] !== 'null') ?? {}, name);
  if ('const' in schema) return schema['const'];
  if (Object.hasOwn(KNOWN, name)) return KNOWN[name];
  const values = schema['enum'] as unknown[] | undefined;
  if (values) return values[0];
  switch (schema['type']) {
    case 'object':
      return exampleObject(document, schema);
    case 'array':
      return [exampleValue(document, (schema['items'] ?? {}) as Json, name.replace(/s$/, ''))];
    case 'integer':
    case 'number':
      return schema['default'] ?? schema['minimum'] ?? 1;
    case 'boolean':
      return true;
    default:
      return textExample(name);
  }
}

function exampleObject(document: OpenApi, schema: Json): Json {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Json>);
  const required = (schema['required'] ?? []) as string[];
  const shown = required.length > 0 ? properties.filter(([name]) => required.includes(name)) : properties.slice(0, 1);
  return Object.fromEntries(shown.map(([name, property]) => [name, exampleValue(document, property, name)]));
}

function textExample(name: string): string {
  if (name.endsWith('_at')) return '2030-01-31T12:00:00Z';
  return name === 'id' || name.endsWith('_id') ? name.toUpperCase() : 'text';
}
