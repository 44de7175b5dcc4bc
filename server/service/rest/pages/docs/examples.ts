import { encodePath } from '../../../../../src/protocol/paths.js';
import type { OpenApi, Operation } from '../../openapi/openapi.js';
import { exampleValue } from './example-values.js';

/** A request that an example sends. */
export interface ExampleRequest {
  method: string;
  /** Path with its query, percent-encoded. */
  path: string;
  headers: Record<string, string>;
  /** Whether a route needs a credential. */
  isAuthorized: boolean;
  body?: { kind: 'json' | 'form'; value: unknown } | { kind: 'bytes' } | { kind: 'file'; field: string };
}

export const LANGUAGES = { curl: 'curl', javascript: 'JavaScript', python: 'Python' } as const;
export type ExampleLanguage = keyof typeof LANGUAGES;

/** Headers that only some requests need, among them those of the examples. */
const SHOWN_HEADERS = ['Upload-Metadata', 'Upload-Offset'];

/** Returns whether examples state a parameter. */
export const isShownInExample = ({ name, in: location, required }: Operation['parameters'][number]): boolean =>
  required || (location === 'header' && SHOWN_HEADERS.includes(name));

/** Builds a request with the required parts of an operation. */
export function exampleRequest(document: OpenApi, method: string, path: string, operation: Operation): ExampleRequest {
  const shown = operation.parameters.filter(isShownInExample);
  const valueOf = (name: string, schema: Record<string, unknown>) => String(exampleValue(document, schema, name));
  const query = new URLSearchParams(
    shown.filter((parameter) => parameter.in === 'query').map(({ name, schema }) => [name, valueOf(name, schema)]),
  ).toString();
  const headers = shown
    .filter((parameter) => parameter.in === 'header')
    .map(({ name, schema }) => [name, valueOf(name, schema)] as const);
  const schemaOf = (name: string) => shown.find((parameter) => parameter.in === 'path' && parameter.name === name)?.schema ?? {};
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodePath(valueOf(name, schemaOf(name))));
  const body = bodyOf(document, operation);
  return {
    method: method.toUpperCase(),
    path: query === '' ? filled : `${filled}?${query}`,
    headers: Object.fromEntries(headers),
    isAuthorized: operation.security.length > 0,
    ...(body && { body }),
  };
}

function bodyOf(document: OpenApi, { requestBody }: Operation): ExampleRequest['body'] {
  const content = requestBody?.content ?? {};
  // Alternatives such as a form, whose file has a name, come before the bytes alone.
  const [type, described] = Object.entries(content)[0] ?? [];
  if (type === undefined || !described) return undefined;
  if (type === 'application/json') return { kind: 'json', value: exampleValue(document, described.schema) };
  if (type === 'application/x-www-form-urlencoded') return { kind: 'form', value: exampleValue(document, described.schema) };
  return type === 'multipart/form-data' ? { kind: 'file', field: 'file' } : { kind: 'bytes' };
}

/** Returns the header for the type of a body of bytes. */
const bytesType = (request: ExampleRequest): string =>
  'Upload-Offset' in request.headers ? 'application/offset+octet-stream' : 'application/octet-stream';

/** Writes a request in a language. The address is in `SVC_BLOB_URL`, the key in `SVC_API_KEY`. */
export function writeExample(language: ExampleLanguage, request: ExampleRequest): string {
  return { curl: writeCurl, javascript: writeJavaScript, python: writePython }[language](request);
}

const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const formText = (value: unknown): string => new URLSearchParams(value as Record<string, string>).toString();

/** Methods that curl sends without `-X`. */
const CURL_METHODS: Record<string, string> = { GET: '', HEAD: ' --head' };

function writeCurl(request: ExampleRequest): string {
  const { method, path, headers, isAuthorized, body } = request;
  const verb = CURL_METHODS[method] ?? ` -X ${method}`;
  const parts = [
    `curl${verb} "$SVC_BLOB_URL"${shellQuote(path)}`,
    ...(isAuthorized ? ['-H "Authorization: Bearer $SVC_API_KEY"'] : []),
    ...Object.entries(headers).map(([name, value]) => `-H ${shellQuote(`${name}: ${value}`)}`),
  ];
  if (body?.kind === 'json') parts.push("-H 'Content-Type: application/json'", `-d ${shellQuote(JSON.stringify(body.value))}`);
  if (body?.kind === 'form') parts.push(`-d ${shellQuote(formText(body.value))}`);
  if (body?.kind === 'bytes') parts.push(`-H 'Content-Type: ${bytesType(request)}'`, '--data-binary @beach.jpg');
  if (body?.kind === 'file') parts.push(`-F '${body.field}=@beach.jpg'`);
  return parts.join(' \\\n  ');
}

function writeJavaScript(request: ExampleRequest): string {
  const { method, path, headers, isAuthorized, body } = request;
  const fields = [
    ...(isAuthorized ? ['    Authorization: `Bearer ${process.env.SVC_API_KEY}`,'] : []),
    ...Object.entries(headers).map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`),
    ...(body?.kind === 'json' ? ["    'Content-Type': 'application/json',"] : []),
    ...(body?.kind === 'bytes' ? [`    'Content-Type': '${bytesType(request)}',`] : []),
  ];
  const setup: Record<string, string[]> = {
    bytes: ["import { openAsBlob } from 'node:fs';", ''],
    file: [
      "import { openAsBlob } from 'node:fs';",
      '',
      'const form = new FormData();',
      `form.append(${JSON.stringify(body?.kind === 'file' ? body.field : '')}, await openAsBlob('beach.jpg'), 'beach.jpg');`,
    ],
  };
  const bodies: Record<string, string> = {
    json: body?.kind === 'json' ? `JSON.stringify(${JSON.stringify(body.value)})` : '',
    form: body?.kind === 'form' ? `new URLSearchParams(${JSON.stringify(body.value)})` : '',
    bytes: "await openAsBlob('beach.jpg')",
    file: 'form',
  };
  return [
    ...(body ? (setup[body.kind] ?? []) : []),
    `const response = await fetch(process.env.SVC_BLOB_URL + ${JSON.stringify(path)}, {`,
    `  method: '${method}',`,
    ...(fields.length > 0 ? ['  headers: {', ...fields, '  },'] : []),
    ...(body ? [`  body: ${bodies[body.kind]},`] : []),
    '});',
    'console.log(response.status, await response.text());',
  ].join('\n');
}

function writePython(request: ExampleRequest): string {
  const { method, path, headers, isAuthorized, body } = request;
  const fields = [
    ...(isAuthorized ? [`        "Authorization": "Bearer " + os.environ["SVC_API_KEY"],`] : []),
    ...Object.entries({ ...headers, ...(body?.kind === 'bytes' && { 'Content-Type': bytesType(request) }) }).map(
      ([name, value]) => `        ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
    ),
  ];
  const bodies: Record<string, string> = {
    json: body?.kind === 'json' ? `json=${pythonLiteral(body.value)}` : '',
    form: body?.kind === 'form' ? `data=${pythonLiteral(body.value)}` : '',
    bytes: 'data=open("beach.jpg", "rb")',
    file: `files={"${body?.kind === 'file' ? body.field : ''}": open("beach.jpg", "rb")}`,
  };
  return [
    'import os',
    'import requests',
    '',
    'response = requests.request(',
    `    "${method}",`,
    `    os.environ["SVC_BLOB_URL"] + ${JSON.stringify(path)},`,
    ...(fields.length > 0 ? ['    headers={', ...fields, '    },'] : []),
    ...(body ? [`    ${bodies[body.kind]},`] : []),
    ')',
    'print(response.status_code, response.text)',
  ].join('\n');
}

function pythonLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, field]) => `${JSON.stringify(name)}: ${pythonLiteral(field)}`)
    .join(', ')}}`;
}
