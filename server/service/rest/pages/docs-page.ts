import type { FastifyReply } from 'fastify';
import { baseName } from '../../../../src/protocol/paths.js';
import { Html, html, sendPage } from './html.js';
import type { OpenApi, Operation } from '../openapi/openapi.js';

type Json = Record<string, unknown>;

/** Sends the OpenAPI document as a page: every operation with its parameters, body and response. The page has no script. */
export function docsPage(reply: FastifyReply, document: OpenApi): FastifyReply {
  const groups = new Map<string, [string, string, Operation][]>();
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags?.[0] ?? 'other';
      groups.set(tag, [...(groups.get(tag) ?? []), [method, path, operation]]);
    }
  const page = new Docs(document);
  const body = html`<h1>Blob Storage</h1>
    <p>${String(document.info['description'])} This page is generated from <a href="openapi.json">openapi.json</a>.</p>
    <p>
      A success returns <code>{"response": …}</code>, an error <code>{"code", "message"?, "path"?, "details"?}</code>. Send
      credentials as <code>Authorization: Bearer …</code>. Every response has the header <code>x-request-id</code>.
    </p>
    ${[...groups].map(
      ([tag, operations]) =>
        html`<h2 id="${tag.replace(/\W+/g, '-')}">${tag[0]!.toUpperCase() + tag.slice(1)}</h2>
          ${operations.map(([method, path, operation]) => page.operation(method, path, operation))}`,
    )}`;
  return sendPage(reply, 'Blob Storage API', body);
}

class Docs {
  constructor(private readonly document: OpenApi) {}

  operation(method: string, path: string, operation: Operation): Html {
    const [status, success] = Object.entries(operation.responses).find(([code]) => code.startsWith('2')) ?? [];
    return html`<details id="${operation.operationId}">
      <summary>
        <code><span class="method">${method.toUpperCase()}</span> ${path}</code> <span class="quiet">${operation.summary}</span>
      </summary>
      <div>
        ${operation.description === undefined ? undefined : html`<p>${operation.description}</p>`}
        ${
          operation.parameters.length === 0
            ? undefined
            : table(
                'Parameters',
                operation.parameters.map(({ name, in: location, schema, required, description }) =>
                  row(name, `${location}, ${this.type(schema)}`, required, description),
                ),
              )
        }
        ${Object.entries(operation.requestBody?.content ?? {}).map(([type, { schema }]) => this.body(`Body, ${type}`, schema))}
        ${Object.entries(success?.content ?? {}).map(([type, { schema }]) => this.body(`Response ${status}, ${type}`, unwrap(schema)))}
      </div>
    </details> `;
  }

  private body(title: string, schema: Json): Html {
    const { properties, required = [] } = this.resolve(schema) as { properties?: Record<string, Json>; required?: string[] };
    if (!properties)
      return html`<h3>${title}</h3>
        <p>${this.type(schema)}</p>`;
    return table(
      title,
      Object.entries(properties).map(([name, property]) =>
        row(name, this.type(property), required.includes(name), property['description'] as string | undefined),
      ),
    );
  }

  private resolve(schema: Json): Json {
    const name = /^#\/components\/schemas\/(.+)$/.exec(String(schema['$ref'] ?? ''))?.[1];
    return name === undefined ? schema : (this.document.components.schemas[name] ?? {});
  }

  /** Describes a schema with its limits in a few words. */
  private type(schema: Json): string {
    const ref = schema['$ref'];
    if (typeof ref === 'string') return baseName(ref);
    if ('const' in schema) return JSON.stringify(schema['const']);
    const alternatives = schema['anyOf'] as Json[] | undefined;
    if (alternatives) return alternatives.map((alternative) => this.type(alternative)).join(' or ');
    if (schema['type'] === 'array')
      return `list of ${this.type((schema['items'] ?? {}) as Json)}${bounds(schema, 'minItems', 'maxItems')}`;
    const type = String(schema['format'] ?? schema['type'] ?? 'anything');
    const fallback = schema['default'] === undefined ? '' : `, default ${JSON.stringify(schema['default'])}`;
    return type + bounds(schema, 'minimum', 'maximum') + bounds(schema, 'minLength', 'maxLength', ' long') + fallback;
  }
}

function bounds(schema: Json, low: string, high: string, unit = ''): string {
  const [from, to] = [schema[low], schema[high]];
  if (from === undefined && (to === undefined || to === Number.MAX_SAFE_INTEGER)) return '';
  if (to === undefined || to === Number.MAX_SAFE_INTEGER) return `, at least ${from as number}${unit}`;
  return from === undefined ? `, at most ${to as number}${unit}` : `, ${from as number} to ${to as number}${unit}`;
}

const unwrap = (schema: Json): Json =>
  ((schema['properties'] as Record<string, Json> | undefined)?.['response'] ?? schema) as Json;

const table = (title: string, rows: Html[]): Html =>
  html`<h3>${title}</h3>
    <table>
      ${rows}
    </table>`;

const row = (name: string, type: string, required: boolean, description: string | undefined): Html =>
  html`<tr>
    <td><code>${name}</code>${required ? undefined : html` <span class="quiet">optional</span>`}</td>
    <td>${type}</td>
    <td>${description}</td>
  </tr> `;
