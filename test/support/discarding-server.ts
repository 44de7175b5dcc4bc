import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';

const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

const createRecord = (name: string, size: number) => ({
  id: randomBytes(8).toString('hex'),
  path: name,
  name,
  size,
  content_type: 'application/octet-stream',
  visibility: 'private',
  url: null,
  cache_control: null,
  content_disposition: null,
  expires_at: null,
  metadata: {},
  etag: '',
  sha256: '',
  created_at: new Date().toISOString(),
  updated_at: new Date().toISOString(),
});

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string | number> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** Reads a body as cheaply as possible, because the server shares the machine with the browser. @returns its length in bytes */
const discardBody = (request: IncomingMessage): Promise<number> =>
  new Promise((resolve, reject) => {
    let size = 0;
    request.on('data', (chunk: Buffer) => (size += chunk.length));
    request.once('end', () => resolve(size)).once('error', reject);
  });

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const parseFileName = (head: string): string =>
  decodeURIComponent(/filename\*?=(?:UTF-8'')?"?([^";\r\n]+)/.exec(head)?.[1] ?? 'file');

interface Upload {
  id: string;
  length: number;
  offset: number;
}
/** Resumable uploads by id and by idempotency key. */
const uploads = new Map<string, Upload>();

/** Handles tus 1.0 with creation-with-upload. @see docs/reference/tus.md */
async function handleTus(request: IncomingMessage, response: ServerResponse, id: string | undefined): Promise<void> {
  const { headers, method } = request;
  const key = String(headers['idempotency-key']);
  let upload = uploads.get(id ?? key);
  if (!upload && method === 'POST') {
    upload = { id: randomBytes(8).toString('hex'), length: Number(headers['upload-length']), offset: 0 };
    for (const name of [upload.id, key]) uploads.set(name, upload);
  }
  if (!upload) return sendJson(response, 404, { code: 'NOT_FOUND' });
  if (method === 'PATCH' && Number(headers['upload-offset']) !== upload.offset)
    return sendJson(response, 409, { code: 'UPLOAD_OFFSET_MISMATCH', details: { offset: upload.offset } });
  upload.offset += await discardBody(request);
  const about = { 'tus-resumable': '1.0.0', location: `/v1/uploads/${upload.id}`, 'upload-offset': upload.offset };
  if (upload.offset === upload.length)
    return sendJson(response, 201, { response: createRecord(upload.id, upload.length) }, about);
  response.writeHead(method === 'POST' ? 201 : 204, about).end();
}

/** Handles a batch. Results are in the order of the parts. */
async function handleBatch(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const boundary = `--${/boundary="?([^";]+)/.exec(request.headers['content-type'] ?? '')?.[1]}`;
  const body = await readBody(request);
  const results = [];
  for (let at = body.indexOf(boundary); ;) {
    const from = at + boundary.length + 2;
    const head = body.indexOf('\r\n\r\n', from);
    at = body.indexOf(boundary, from);
    if (at < 0 || head < 0) break;
    results.push({ file: createRecord(parseFileName(body.toString('latin1', from, head)), at - 2 - (head + 4)) });
  }
  sendJson(response, 200, { response: { results } });
}

const createTokenInfo = () => ({
  id: 'bench',
  expires_at: new Date(Date.now() + 900_000).toISOString(),
  max_uses: 100,
  uses: 0,
  uses_left: 100,
  max_size: null,
  allowed_extensions: null,
});

/** Folders of served files. */
interface Folders {
  page: string;
  /** The built package, at `/dist/`. */
  dist: string;
  /** An earlier build of it, at `/before/`. */
  before?: string;
}

function findFile(pathname: string, { page, dist, before = dist }: Folders): string {
  if (pathname.startsWith('/dist/')) return join(dist, normalize(pathname.slice(5)));
  if (pathname.startsWith('/before/')) return join(before, normalize(pathname.slice(7)));
  return join(page, normalize(pathname === '/' ? '/index.html' : pathname));
}

async function respond(request: IncomingMessage, response: ServerResponse, folders: Folders): Promise<void> {
  const { pathname } = new URL(request.url!, 'http://localhost');
  if (request.method !== 'GET') {
    if (pathname === '/v1/files/batch') return handleBatch(request, response);
    if (pathname.startsWith('/v1/uploads')) return handleTus(request, response, pathname.split('/')[3]);
    const name = parseFileName(request.headers['content-disposition'] ?? '');
    return sendJson(response, 201, { response: createRecord(name, await discardBody(request)) });
  }
  if (pathname === '/v1/upload-tokens/self') return sendJson(response, 200, { response: createTokenInfo() });
  const file = findFile(pathname, folders);
  const bytes = await readFile(file).catch(() => undefined);
  if (!bytes) return void response.writeHead(404).end();
  response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(bytes);
}

/** Serves a page and the built package, and accepts uploads of every protocol without storing them. Benchmarks then measure the browser alone. */
export async function startDiscardingServer(folders: Folders): Promise<Server> {
  const server = createServer((request, response) => {
    respond(request, response, folders).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
