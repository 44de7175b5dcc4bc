import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';

/**
 * Serves the built page and takes every upload by the rules of its protocol, without keeping a byte: what is measured is the
 * browser's side alone.
 */

const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

const record = (name: string, size: number) => ({
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

function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string | number> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** The sink shares the machine with the browser, so it does as little as can be. @returns how many bytes came */
const swallow = (request: IncomingMessage): Promise<number> =>
  new Promise((resolve, reject) => {
    let size = 0;
    request.on('data', (chunk: Buffer) => (size += chunk.length));
    request.once('end', () => resolve(size)).once('error', reject);
  });

async function gather(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const nameIn = (head: string): string => decodeURIComponent(/filename\*?=(?:UTF-8'')?"?([^";\r\n]+)/.exec(head)?.[1] ?? 'file');

interface Upload {
  id: string;
  length: number;
  offset: number;
}
/** Resumable uploads by id and by idempotency key. */
const uploads = new Map<string, Upload>();

/** tus 1.0, creation with upload: see docs/reference/tus.md. */
async function tus(request: IncomingMessage, response: ServerResponse, id: string | undefined): Promise<void> {
  const { headers, method } = request;
  const key = String(headers['idempotency-key']);
  let upload = uploads.get(id ?? key);
  if (!upload && method === 'POST') {
    upload = { id: randomBytes(8).toString('hex'), length: Number(headers['upload-length']), offset: 0 };
    for (const name of [upload.id, key]) uploads.set(name, upload);
  }
  if (!upload) return json(response, 404, { code: 'NOT_FOUND' });
  if (method === 'PATCH' && Number(headers['upload-offset']) !== upload.offset)
    return json(response, 409, { code: 'UPLOAD_OFFSET_MISMATCH', details: { offset: upload.offset } });
  upload.offset += await swallow(request);
  const about = { 'tus-resumable': '1.0.0', location: `/v1/uploads/${upload.id}`, 'upload-offset': upload.offset };
  if (upload.offset === upload.length) return json(response, 201, { response: record(upload.id, upload.length) }, about);
  response.writeHead(method === 'POST' ? 201 : 204, about).end();
}

/** Every part by itself, in order. */
async function batch(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const boundary = `--${/boundary="?([^";]+)/.exec(request.headers['content-type'] ?? '')?.[1]}`;
  const body = await gather(request);
  const results = [];
  for (let at = body.indexOf(boundary); ;) {
    const from = at + boundary.length + 2;
    const head = body.indexOf('\r\n\r\n', from);
    at = body.indexOf(boundary, from);
    if (at < 0 || head < 0) break;
    results.push({ file: record(nameIn(body.toString('latin1', from, head)), at - 2 - (head + 4)) });
  }
  json(response, 200, { response: { results } });
}

const self = () => ({
  id: 'bench',
  expires_at: new Date(Date.now() + 900_000).toISOString(),
  max_uses: 100,
  uses: 0,
  uses_left: 100,
  max_size: null,
  allowed_extensions: null,
});

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  folders: { page: string; dist: string },
): Promise<void> {
  const { pathname } = new URL(request.url!, 'http://sink');
  if (request.method !== 'GET') {
    if (pathname === '/v1/files/batch') return batch(request, response);
    if (pathname.startsWith('/v1/uploads')) return tus(request, response, pathname.split('/')[3]);
    const name = nameIn(request.headers['content-disposition'] ?? '');
    return json(response, 201, { response: record(name, await swallow(request)) });
  }
  if (pathname === '/v1/upload-tokens/self') return json(response, 200, { response: self() });
  const inDist = pathname.startsWith('/dist/');
  const file = join(
    inDist ? folders.dist : folders.page,
    normalize(inDist ? pathname.slice(5) : pathname === '/' ? '/index.html' : pathname),
  );
  const bytes = await readFile(file).catch(() => undefined);
  if (!bytes) return void response.writeHead(404).end();
  response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(bytes);
}

export async function startDiscardingServer(folders: { page: string; dist: string }): Promise<Server> {
  const server = createServer((request, response) => {
    answer(request, response, folders).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
