import type { HTTPMethods, RouteOptions } from 'fastify';
import { ERROR_STATUS } from '../../../../src/protocol/errors.js';
import { HEADERS, OF_READS, OF_UPLOADS } from './headers.js';
import type { Header, HeaderName } from './headers.js';
import { LIMIT_HEADERS } from '../../http/limit-headers.js';

type Json = Record<string, unknown>;

/** What a body holds that no JSON schema describes. */
export type RawBody = 'bytes' | 'form or bytes' | 'batch' | 'piece' | 'piece or nothing';

/** A success as its JSON schema does not tell it. */
export interface Told {
  says: string;
  /** Beyond those of every answer. */
  carries?: HeaderName[];
  /** Of a body without a schema. */
  type?: string;
}

interface Response {
  description: string;
  headers: Record<string, Json>;
  content?: Record<string, { schema: Json }>;
}

export interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security: Json[];
  parameters: { name: string; in: string; required: boolean; description?: string; schema: Json }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Json }> };
  responses: Record<string, Response>;
}

/** An OpenAPI 3.1 document, as far as this service fills it. */
export interface OpenApi {
  openapi: '3.1.0';
  info: Json;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json>; headers: Record<string, Header>; securitySchemes: Json };
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For the OpenAPI document. */
    takes?: RawBody;
    gives?: 'bytes';
    headers?: Partial<Record<HeaderName, 'required' | 'optional'>>;
    answers?: Record<number, Told>;
  }
}

/** Gathers routes as they are added and describes them with the schemas that validate them. */
export class OpenApiBuilder {
  readonly #routes: RouteOptions[] = [];
  readonly #schemas: Record<string, Json> = {
    Error: {
      type: 'object',
      required: ['code'],
      properties: {
        code: { type: 'string', enum: Object.keys(ERROR_STATUS) },
        message: { type: 'string' },
        path: { type: 'string', description: 'The field at fault.' },
        details: { type: 'object' },
      },
    },
  };

  add(route: RouteOptions): void {
    const { summary } = (route.schema ?? {}) as { summary?: string };
    if (summary !== undefined) this.#routes.push(route);
  }

  build(): OpenApi {
    const paths: OpenApi['paths'] = {};
    for (const route of this.#routes) {
      const path = route.url.replace(/:(\w+)/g, '{$1}').replace('*', '{path}');
      for (const method of [route.method].flat() as HTTPMethods[])
        if (method !== 'OPTIONS' && !(method === 'HEAD' && this.#isOfGet(route)))
          (paths[path] ??= {})[method.toLowerCase()] = this.#operation(route, method, path);
    }
    return {
      openapi: '3.1.0',
      info: {
        title: 'Blob Storage',
        version: '1',
        description: 'Files, upload tokens and delivery. Times are ISO 8601 UTC, sizes bytes.',
      },
      paths,
      components: {
        schemas: this.#schemas,
        headers: HEADERS,
        securitySchemes: {
          apiKey: { type: 'http', scheme: 'bearer', bearerFormat: 'svc_live_…' },
          uploadToken: { type: 'http', scheme: 'bearer', bearerFormat: 'svcup_…' },
        },
      },
    };
  }

  /** Whether a HEAD is what comes with every GET, and not an operation of its own. */
  #isOfGet({ url, schema }: RouteOptions): boolean {
    const summaryOf = (one: RouteOptions['schema']) => (one as { summary?: string } | undefined)?.summary;
    return this.#routes.some(
      (other) => [other.method].flat().includes('GET') && other.url === url && summaryOf(other.schema) === summaryOf(schema),
    );
  }

  #operation(route: RouteOptions, method: string, path: string): Operation {
    const schema = (route.schema ?? {}) as Json;
    const { access, takes, gives, headers } = route.config ?? {};
    const security: Json[] = [];
    let description = schema['description'] as string | undefined;
    if (access !== undefined && access !== 'everyone') {
      if (access.tokens !== 'only') security.push({ apiKey: [access.scope] });
      if (access.tokens !== undefined) security.push({ uploadToken: [] });
      const scope =
        access.tokens === 'only' ? 'An upload token.' : `Scope ${access.scope}${access.tokens ? ', or an upload token' : ''}.`;
      description = description === undefined ? scope : `${description} ${scope}`;
    }
    const body = takes
      ? rawBody(takes, schema['querystring'] as Json | undefined)
      : schema['body'] && json(this.#refer(schema['body'] as Json));
    return {
      operationId: `${method.toLowerCase()} ${path}`.replace(/[^a-z0-9]+/gi, '_').replace(/_$/, ''),
      ...(schema['summary'] !== undefined && { summary: schema['summary'] as string }),
      ...(description !== undefined && { description }),
      ...(schema['tags'] !== undefined && { tags: schema['tags'] as string[] }),
      security,
      parameters: [
        ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
          name: name!,
          in: 'path',
          required: true,
          schema: { type: 'string' },
        })),
        ...this.#query(schema['querystring'] as Json | undefined),
        ...headerParameters({
          ...(takes === 'bytes' || takes === 'form or bytes' ? OF_UPLOADS : {}),
          ...(takes === 'form or bytes' && { 'Content-Disposition': 'optional' }),
          ...(gives === 'bytes' && OF_READS),
          ...headers,
        }),
      ],
      ...(body !== undefined && {
        requestBody: { required: takes !== 'piece or nothing', content: body as Record<string, { schema: Json }> },
      }),
      responses: this.#responses(route),
    };
  }

  #responses({ config, schema }: RouteOptions): Record<string, Response> {
    const { access, gives, answers = {} } = config ?? {};
    const schemas = ((schema ?? {}) as { response?: Record<string, Json> }).response ?? {};
    const always: HeaderName[] = [
      'X-Request-Id',
      ...(typeof access === 'object' && access.tokens !== 'only' ? LIMIT_HEADERS : []),
    ];
    const answer = (description: string, carries: HeaderName[] = [], content?: Response['content']): Response => ({
      description,
      headers: Object.fromEntries([...carries, ...always].map((name) => [name, { $ref: `#/components/headers/${name}` }])),
      ...(content && { content }),
    });
    const error = json({ $ref: '#/components/schemas/Error' });
    const told = Object.entries({ ...(gives === 'bytes' && BYTES), ...answers }).map(([status, { says, carries, type }]) => {
      const content = schemas[status] ? json(this.#refer(schemas[status])) : type && { [type]: { schema: BINARY } };
      return [status, answer(says, carries, Number(status) >= 400 ? error : content || undefined)] as const;
    });
    const plain = Object.entries(schemas).map(([status, one]) => [status, answer('Done.', [], json(this.#refer(one)))] as const);
    return { ...Object.fromEntries([...plain, ...told]), default: answer('Refused.', ['Retry-After'], error) };
  }

  #query(querystring: Json | undefined): Operation['parameters'] {
    const { properties = {}, required = [] } = (querystring ?? {}) as { properties?: Record<string, Json>; required?: string[] };
    return Object.entries(properties).map(([name, { description, ...schema }]) => ({
      name,
      in: 'query',
      required: required.includes(name),
      ...(description !== undefined && { description: description as string }),
      schema: this.#refer(schema) as Json,
    }));
  }

  /** A schema with everything that has a name moved to the components. */
  #refer(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((one) => this.#refer(one));
    if (typeof schema !== 'object' || schema === null) return schema;
    const { $id, ...rest } = schema as Json;
    const plain = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, this.#refer(value)]));
    if (typeof $id !== 'string') return plain;
    this.#schemas[$id] = plain;
    return { $ref: `#/components/schemas/${$id}` };
  }
}

const json = (schema: unknown) => ({ 'application/json': { schema: schema as Json } });

const BINARY = { type: 'string', format: 'binary' };

const OF_BYTES: HeaderName[] = ['ETag', 'Last-Modified', 'Accept-Ranges', 'Cache-Control', 'Content-Disposition', 'Repr-Digest'];
const BYTES: Record<number, Told> = {
  200: { says: 'The bytes.', carries: OF_BYTES, type: '*/*' },
  206: { says: 'The bytes of the range.', carries: [...OF_BYTES, 'Content-Range'], type: '*/*' },
  304: { says: 'It is still what the request names.', carries: ['ETag', 'Last-Modified', 'Cache-Control'] },
  412: { says: 'It is not what the request names.' },
  416: { says: 'The range lies outside the file.', carries: ['Content-Range'] },
};

const headerParameters = (names: Partial<Record<HeaderName, 'required' | 'optional'>>): Operation['parameters'] =>
  Object.entries(names).map(([name, how]) => ({
    name,
    in: 'header',
    required: how === 'required',
    ...HEADERS[name as HeaderName],
  }));

function rawBody(takes: RawBody, querystring: Json | undefined): Record<string, { schema: Json }> {
  const { workspace_id: _, ...fields } = ((querystring ?? {}) as { properties?: Json }).properties ?? {};
  const form = {
    'multipart/form-data': { schema: { type: 'object', required: ['file'], properties: { ...fields, file: BINARY } } },
  };
  const bytes = { '*/*': { schema: BINARY } };
  if (takes === 'bytes') return bytes;
  if (takes === 'piece' || takes === 'piece or nothing') return { 'application/offset+octet-stream': { schema: BINARY } };
  if (takes === 'form or bytes') return { ...form, ...bytes };
  const files = { type: 'array', minItems: 1, items: BINARY };
  return { 'multipart/form-data': { schema: { type: 'object', required: ['file'], properties: { file: files } } } };
}
