import type { HTTPMethods, RouteOptions } from 'fastify';
import { OauthErrorSchema } from '../oauth/error-schema.js';
import { ERROR_STATUS } from '../../../../src/protocol/errors.js';
import { PLATFORM_ERROR_STATUS } from '../../../../src/protocol/platform-error-codes.js';
import { DOWNLOAD_HEADERS, HEADERS, UPLOAD_HEADERS } from './headers.js';
import type { Header, HeaderName } from './headers.js';
import { LIMIT_HEADERS } from '../../http/limit-headers.js';
import type { RouteAccess } from '../../identity/authorize.js';

type Json = Record<string, unknown>;

/** Request bodies without a JSON schema. `part`: bytes of a resumable upload. */
export type RawBody = 'bytes' | 'form or bytes' | 'batch' | 'part' | 'optional part';

/** Describes a response beyond its JSON schema. */
export interface ResponseDescription {
  description: string;
  /** Headers beyond those of every response. */
  headers?: HeaderName[];
  /** The content type of a body without a schema. */
  contentType?: string;
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

/** The parts of OpenAPI 3.1 that this service uses. */
export interface OpenApi {
  openapi: '3.1.0';
  info: Json;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json>; headers: Record<string, Header>; securitySchemes: Json };
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The request body, if it has no JSON schema. */
    requestBody?: RawBody;
    /** The encoding of a body with a schema. @default "json" */
    bodyType?: 'form';
    /** Set for routes that return files. */
    responseBody?: 'bytes';
    /** Request headers. */
    headers?: Partial<Record<HeaderName, 'required' | 'optional'>>;
    responses?: Record<number, ResponseDescription>;
    /** Whether people open the route in a browser, so that its errors are pages too. @default false */
    isPage?: boolean;
  }
}

/** Builds the OpenAPI document from the schemas and the `config` of the routes. */
export class OpenApiBuilder {
  readonly #routes: RouteOptions[] = [];
  readonly #schemas: Record<string, Json> = {
    Error: {
      type: 'object',
      required: ['code'],
      properties: {
        code: { type: 'string', enum: [...Object.keys(ERROR_STATUS), ...Object.keys(PLATFORM_ERROR_STATUS)] },
        message: { type: 'string' },
        path: { type: 'string', description: 'The invalid field.' },
        details: { type: 'object', description: 'Values that help to act, such as `reason`, `limit` and `retry_after`.' },
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
        if (method !== 'OPTIONS' && !(method === 'HEAD' && this.#hasGet(route)))
          (paths[path] ??= {})[method.toLowerCase()] = this.#operation(route, method, path);
    }
    return {
      openapi: '3.1.0',
      info: {
        title: 'Blob Storage',
        version: '1',
        description: 'Store files, create upload tokens and deliver files. Times are in ISO 8601 (UTC), sizes in bytes.',
      },
      paths,
      components: {
        schemas: this.#schemas,
        headers: HEADERS,
        securitySchemes: {
          session: { type: 'apiKey', in: 'cookie', name: '__Host-svc_session' },
          apiKey: { type: 'http', scheme: 'bearer', bearerFormat: 'svc_live_…' },
          uploadToken: { type: 'http', scheme: 'bearer', bearerFormat: 'svcup_…' },
        },
      },
    };
  }

  /** Returns whether a HEAD belongs to a GET and is no operation of its own. */
  #hasGet({ url, schema }: RouteOptions): boolean {
    const summaryOf = (routeSchema: RouteOptions['schema']) => (routeSchema as { summary?: string } | undefined)?.summary;
    return this.#routes.some(
      (other) => [other.method].flat().includes('GET') && other.url === url && summaryOf(other.schema) === summaryOf(schema),
    );
  }

  #operation(route: RouteOptions, method: string, path: string): Operation {
    const schema = (route.schema ?? {}) as Json;
    const { access, requestBody, bodyType, responseBody, headers } = route.config ?? {};
    const security: Json[] = [];
    let description = schema['description'] as string | undefined;
    if (access !== undefined && access !== 'everyone') {
      security.push(...securityOf(access));
      const credential = credentialText(access);
      description = description === undefined ? credential : `${description} ${credential}`;
    }
    const body = requestBody
      ? rawBody(requestBody, schema['querystring'] as Json | undefined)
      : schema['body'] && (bodyType === 'form' ? form : json)(this.#refer(schema['body'] as Json));
    return {
      operationId: `${method.toLowerCase()} ${path}`.replace(/[^a-z0-9]+/gi, '_').replace(/_$/, ''),
      ...(schema['summary'] !== undefined && { summary: schema['summary'] as string }),
      ...(description !== undefined && { description }),
      ...(schema['tags'] !== undefined && { tags: schema['tags'] as string[] }),
      security,
      parameters: [
        ...this.#path(path, schema['params'] as Json | undefined),
        ...this.#query(schema['querystring'] as Json | undefined),
        ...headerParameters({
          ...(requestBody === 'bytes' || requestBody === 'form or bytes' ? UPLOAD_HEADERS : {}),
          ...(requestBody === 'form or bytes' && { 'Content-Disposition': 'optional' }),
          ...(responseBody === 'bytes' && DOWNLOAD_HEADERS),
          ...headers,
        }),
      ],
      ...(body !== undefined && {
        requestBody: { required: requestBody !== 'optional part', content: body as Record<string, { schema: Json }> },
      }),
      responses: this.#responses(route),
    };
  }

  #responses({ config, schema, url }: RouteOptions): Record<string, Response> {
    const { access, responseBody, responses = {} } = config ?? {};
    const schemas = ((schema ?? {}) as { response?: Record<string, Json> }).response ?? {};
    const always: HeaderName[] = [
      'X-Request-Id',
      ...(typeof access === 'object' && 'scope' in access && access.tokens !== 'only' ? LIMIT_HEADERS : []),
    ];
    const build = (description: string, headers: HeaderName[] = [], content?: Response['content']): Response => ({
      description,
      headers: Object.fromEntries([...headers, ...always].map((name) => [name, { $ref: `#/components/headers/${name}` }])),
      ...(content && { content }),
    });
    const isOauth = url.startsWith('/oauth/');
    const error = json(isOauth ? this.#refer(OauthErrorSchema) : { $ref: '#/components/schemas/Error' });
    const descriptions = Object.entries({ ...(responseBody === 'bytes' && FILE_RESPONSES), ...responses });
    const described = descriptions.map(([status, { description, headers, contentType }]) => {
      const content = schemas[status] ? json(this.#refer(schemas[status])) : contentType && { [contentType]: { schema: BINARY } };
      return [status, build(description, headers, Number(status) >= 400 ? error : content || undefined)] as const;
    });
    const others = Object.entries(schemas).map(
      ([status, body]) => [status, build('The request succeeded.', [], json(this.#refer(body)))] as const,
    );
    return { ...Object.fromEntries([...others, ...described]), default: build('An error.', ['Retry-After'], error) };
  }

  #path(path: string, params: Json | undefined): Operation['parameters'] {
    const properties = (params?.['properties'] ?? {}) as Record<string, Json>;
    return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
      const { description, ...schema } = properties[name!] ?? { type: 'string' };
      return {
        name: name!,
        in: 'path',
        required: true,
        ...(description !== undefined && { description: description as string }),
        schema: this.#refer(schema) as Json,
      };
    });
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

  /** Replaces schemas that have an `$id` by references to the components. */
  #refer(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((item) => this.#refer(item));
    if (typeof schema !== 'object' || schema === null) return schema;
    const { $id, ...rest } = schema as Json;
    const plain = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, this.#refer(value)]));
    if (typeof $id !== 'string') return plain;
    this.#schemas[$id] = plain;
    return { $ref: `#/components/schemas/${$id}` };
  }
}

const form = (schema: unknown) => ({ 'application/x-www-form-urlencoded': { schema: schema as Json } });
const json = (schema: unknown) => ({ 'application/json': { schema: schema as Json } });

const BINARY = { type: 'string', format: 'binary' };

const FILE_HEADERS: HeaderName[] = [
  'ETag',
  'Last-Modified',
  'Accept-Ranges',
  'Cache-Control',
  'Content-Disposition',
  'Repr-Digest',
];
const FILE_RESPONSES: Record<number, ResponseDescription> = {
  200: { description: 'The file.', headers: FILE_HEADERS, contentType: '*/*' },
  206: { description: 'The requested range of the file.', headers: [...FILE_HEADERS, 'Content-Range'], contentType: '*/*' },
  304: { description: 'The file has not changed.', headers: ['ETag', 'Last-Modified', 'Cache-Control'] },
  412: { description: 'The file has changed.' },
  416: { description: 'The range is outside the file.', headers: ['Content-Range'] },
};

const headerParameters = (names: Partial<Record<HeaderName, 'required' | 'optional'>>): Operation['parameters'] =>
  Object.entries(names).map(([name, presence]) => ({
    name,
    in: 'header',
    required: presence === 'required',
    ...HEADERS[name as HeaderName],
  }));

function rawBody(body: RawBody, querystring: Json | undefined): Record<string, { schema: Json }> {
  const { workspace_id: _, ...fields } = ((querystring ?? {}) as { properties?: Json }).properties ?? {};
  const form = {
    'multipart/form-data': { schema: { type: 'object', required: ['file'], properties: { ...fields, file: BINARY } } },
  };
  const bytes = { '*/*': { schema: BINARY } };
  if (body === 'bytes') return bytes;
  if (body === 'part' || body === 'optional part') return { 'application/offset+octet-stream': { schema: BINARY } };
  if (body === 'form or bytes') return { ...form, ...bytes };
  const files = { type: 'array', minItems: 1, items: BINARY };
  return { 'multipart/form-data': { schema: { type: 'object', required: ['file'], properties: { file: files } } } };
}

/** The credentials that a route accepts, by the names of `securitySchemes`. */
function securityOf(access: RouteAccess): Json[] {
  if ('session' in access) return [{ session: [] }];
  const token = access.tokens === undefined ? [] : [{ uploadToken: [] }];
  return access.tokens === 'only' ? token : [{ apiKey: [access.scope] }, { session: [] }, ...token];
}

function credentialText(access: RouteAccess): string {
  if ('session' in access) return 'Requires a session; no API key may use it.';
  if (access.tokens === 'only') return 'Requires an upload token.';
  return `Requires the scope ${access.scope}${access.tokens ? ' or an upload token' : ''}.`;
}
