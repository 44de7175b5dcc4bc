import type { FastifyReply } from 'fastify';
import { baseName } from '../../../../../src/protocol/paths.js';
import { DOCS_SCRIPT } from './docs-script.js';
import { DOCS_STYLE } from './docs-style.js';
import { exampleValue, resolveSchema } from './example-values.js';
import { exampleRequest, isShownInExample, LANGUAGES, writeExample } from './examples.js';
import type { ExampleLanguage, ExampleRequest } from './examples.js';
import { Html, html, sendDocument } from '../html.js';
import type { OpenApi, Operation } from '../../openapi/openapi.js';

type Json = Record<string, unknown>;

/**
 * Sends the OpenAPI document as a page: every operation with its parameters, body, response, examples and a form that sends it. Everything but
 * the forms works without the script.
 */
export function docsPage(reply: FastifyReply, document: OpenApi): FastifyReply {
  const groups = new Map<string, [string, string, Operation][]>();
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags?.[0] ?? 'other';
      groups.set(tag, [...(groups.get(tag) ?? []), [method, path, operation]]);
    }
  const page = new Docs(document);
  const anchor = (tag: string) => tag.replace(/\W+/g, '-');
  const heading = (tag: string) => tag[0]!.toUpperCase() + tag.slice(1);
  const body = html`<h1>Blob Storage</h1>
    <p>${withCode(String(document.info['description']))} This page is generated from <a href="openapi.json">openapi.json</a>.</p>
    <p>
      A success returns <code>{"response": …}</code>, an error <code>{"code", "message"?, "path"?, "details"?}</code>. Send
      credentials as <code>Authorization: Bearer …</code>. Every response has the header <code>x-request-id</code>.
    </p>
    <nav aria-label="Groups" class="groups">
      ${[...groups.keys()].map((tag) => html`<a href="#${anchor(tag)}">${heading(tag)}</a> `)}
    </nav>
    <div class="settings">
      <fieldset>
        <legend>Examples in</legend>
        ${Object.entries(LANGUAGES).map(
          ([id, name], index) =>
            html`<label
              ><input type="radio" name="language" id="in-${id}" ${index === 0 ? html`checked` : undefined} /> ${name}</label
            > `,
        )}
      </fieldset>
      <label id="access" hidden>
        API key for your requests
        <input id="key" type="password" autocomplete="off" spellcheck="false" placeholder="svc_live_…" />
        <small class="quiet">It stays in this field and is sent to this service only. Requests act on your real files.</small>
      </label>
    </div>
    ${[...groups].map(
      ([tag, operations]) =>
        html`<h2 id="${anchor(tag)}">${heading(tag)}</h2>
          ${operations.map(([method, path, operation]) => page.operation(method, path, operation))}`,
    )}`;
  return sendDocument(reply, {
    title: 'Blob Storage API',
    body,
    style: DOCS_STYLE,
    script: DOCS_SCRIPT,
    sources: ["connect-src 'self'"],
  });
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
        ${operation.description === undefined ? undefined : html`<p>${withCode(operation.description)}</p>`}
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
        ${this.request(method, path, operation)}
      </div>
    </details> `;
  }

  private body(title: string, schema: Json): Html {
    const { properties, required = [] } = resolveSchema(this.document, schema) as {
      properties?: Record<string, Json>;
      required?: string[];
    };
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

  /** Builds the examples and the form of an operation. */
  private request(method: string, path: string, operation: Operation): Html {
    const request = exampleRequest(this.document, method, path, operation);
    return html`<h3>Example</h3>
      ${(Object.keys(LANGUAGES) as ExampleLanguage[]).map(
        (language) => html`<pre class="example ${language}" tabindex="0"><code>${writeExample(language, request)}</code></pre>`,
      )}
      <form class="try" data-method="${request.method}" data-path="${path}" hidden>
        <h3>Try it</h3>
        ${operation.parameters
          .filter((parameter) => parameter.in !== 'header' || isShownInExample(parameter))
          .map((parameter) => {
            const { name, in: location, required, schema } = parameter;
            const value = isShownInExample(parameter) ? String(exampleValue(this.document, schema, name)) : '';
            return html`<label
              >${name}${required ? undefined : html` <span class="quiet">optional</span>`}
              <input name="${name}" data-in="${location}" ${required ? html`required` : undefined} value="${value}"
            /></label>`;
          })}
        ${bodyField(request)}
        <button>Send ${request.method}</button>
        <output aria-live="polite"></output>
      </form>`;
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

function bodyField({ body }: ExampleRequest): Html | undefined {
  if (!body) return undefined;
  if (body.kind === 'bytes' || body.kind === 'file')
    return html`<label>File <input type="file" data-body="${body.kind}" /></label>`;
  const text = JSON.stringify(body.value, null, 2);
  return html`<label
    >Body
    <textarea data-body="${body.kind}" rows="${Math.min(12, text.split('\n').length + 1)}" spellcheck="false">${text}</textarea>
  </label>`;
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

/** Shows the parts of a description between backticks as code. */
const withCode = (text: string): Html[] =>
  text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));

const row = (name: string, type: string, required: boolean, description: string | undefined): Html =>
  html`<tr>
    <td><code>${name}</code>${required ? undefined : html` <span class="quiet">optional</span>`}</td>
    <td>${type}</td>
    <td>${description === undefined ? undefined : withCode(description)}</td>
  </tr> `;
