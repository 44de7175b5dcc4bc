import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';

/** Serves the built page and swallows every upload, so that what is measured is the browser's side alone. */

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

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function swallow(request: IncomingMessage): Promise<number> {
  let size = 0;
  for await (const chunk of request) size += (chunk as Buffer).length;
  return size;
}

/** As much of tus as one upload in one piece needs. */
async function tus(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const headers = { 'tus-resumable': '1.0.0' };
  if (request.method === 'POST') {
    const size = await swallow(request);
    response
      .writeHead(201, { ...headers, location: `/v1/uploads/${randomBytes(8).toString('hex')}`, 'upload-offset': size })
      .end();
    return;
  }
  const offset = Number(request.headers['upload-offset'] ?? 0) + (await swallow(request));
  response.writeHead(200, { ...headers, 'upload-offset': offset, 'content-type': 'application/json' });
  response.end(JSON.stringify({ response: record('big', offset) }));
}

async function batch(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const parts =
    Buffer.concat(chunks)
      .toString('latin1')
      .match(/name="?file"?/g) ?? [];
  json(response, 200, { response: { results: parts.map(() => ({ file: record('small', 10_240) })) } });
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  folders: { page: string; dist: string },
): Promise<void> {
  const { pathname } = new URL(request.url!, 'http://sink');
  if (request.method !== 'GET') {
    if (pathname === '/v1/files/batch') return batch(request, response);
    if (pathname.startsWith('/v1/uploads')) return tus(request, response);
    const size = await swallow(request);
    return json(response, 201, { response: record('file', size) });
  }
  if (pathname === '/v1/upload-tokens/self') return json(response, 404, { code: 'NOT_FOUND' });
  const inDist = pathname.startsWith('/dist/');
  const file = join(
    inDist ? folders.dist : folders.page,
    normalize(inDist ? pathname.slice(5) : pathname === '/' ? '/index.html' : pathname),
  );
  const bytes = await readFile(file).catch(() => undefined);
  if (!bytes) return void response.writeHead(404).end();
  response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(bytes);
}

export async function startSink(folders: { page: string; dist: string }): Promise<Server> {
  const server = createServer((request, response) => {
    answer(request, response, folders).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
