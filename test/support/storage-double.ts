import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * A stand-in for Blob Storage in tests of the element that choose the response. The address selects it: `/storage/store` stores,
 * `/storage/refuse/FILE_EXISTS/409` refuses, `/storage/hang` never responds, `/storage/slow` responds after 300 ms, `/storage/away` asks for
 * a pause of seven seconds, `/storage/say/403/<JSON>` responds with that body. `/storage/links` and `/storage/no-links` say whether the token
 * allows URLs, and a fetched URL states the events of the response, see `sendSteps`. Other tests use the real service.
 */
export async function handleStorageDouble(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, , behaviour, ...rest] = (request.url ?? '').split('/');
  const respond = (status: number, body: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  if (behaviour === 'away') return void response.writeHead(429, { 'retry-after': '7' }).end('slow down');
  if (behaviour === 'hang' && request.url?.endsWith('/token')) return undefined;
  if (request.url?.endsWith('/token'))
    return respond(200, {
      token: 'svcup_double',
      url: new URL(`/storage/store`, `http://${request.headers.host}`).href,
      expires_at: new Date(Date.now() + 900_000).toISOString(),
      max_uses: 100,
      max_size: null,
      allowed_extensions: null,
    });
  if (request.url?.endsWith('/self'))
    return respond(200, {
      response: {
        path: null,
        prefix: null,
        max_size: null,
        allowed_extensions: null,
        ...(behaviour?.endsWith('links') && { allow_fetch: behaviour === 'links' }),
        max_uses: 100,
        uses: 0,
        uses_left: 100,
        expires_at: new Date(Date.now() + 900_000).toISOString(),
      },
    });
  // Only the basic upload route exists here.
  if (/\/(batch|uploads)$/.test(request.url ?? '')) return respond(404, { code: 'NOT_FOUND' });
  if (request.url?.endsWith('/fetch') && behaviour !== 'refuse') return sendSteps(request, response);
  const form = request.headers['content-type']?.startsWith('multipart/') ? await readForm(request) : undefined;
  let size = form?.size ?? 0;
  for await (const chunk of request) size += (chunk as Buffer).length;
  if (behaviour === 'hang') return undefined;
  if (behaviour === 'say') {
    // The body is passed on as text, because JavaScript cannot build JSON with the key `__proto__`.
    response.writeHead(Number(rest[0]), { 'content-type': 'application/json' }).end(decodeURIComponent(rest[1]!));
    return undefined;
  }
  if (behaviour === 'refuse') return respond(Number(rest[1]), { code: rest[0], message: 'refused' });
  // The delay lets tests see an upload that is in progress.
  if (behaviour === 'slow') await new Promise((resolve) => setTimeout(resolve, 300));
  const header = /filename\*?=(?:UTF-8''|")([^";]+)/.exec(request.headers['content-disposition'] ?? '');
  const name = form?.name ?? decodeURIComponent(header?.[1] ?? 'file');
  const type = request.headers['content-type'] ?? '';
  return respond(201, { response: recordOf(name, size, type, form?.metadata) });
}

function recordOf(name: string, size: number, type: string, metadata: Record<string, string> = {}) {
  const now = new Date().toISOString();
  return {
    id: randomUUID(),
    path: `docs/${name}`,
    name,
    size,
    content_type: type,
    visibility: 'public',
    url: null,
    cache_control: null,
    content_disposition: null,
    expires_at: null,
    metadata,
    etag: '',
    sha256: '',
    created_at: now,
    updated_at: now,
  };
}

/**
 * A step of the response to a fetched URL: milliseconds to wait, an event with its data, or text that is sent as it is. The response stays
 * open after `hang`. `done` contains a record with the data.
 */
export type FetchStep = number | 'hang' | string | [event: string, data: Record<string, unknown>];

/** Sends what the parameter `steps` of the fetched URL states. Without it, a file of 10 bytes is stored. */
async function sendSteps(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as {
    url: string;
    metadata?: Record<string, string>;
  };
  const url = new URL(body.url);
  const steps = JSON.parse(url.searchParams.get('steps') ?? '[["done",{}]]') as FetchStep[];
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  for (const step of steps) {
    if (step === 'hang') return;
    if (typeof step === 'number') await new Promise((resolve) => setTimeout(resolve, step));
    else if (typeof step === 'string') response.write(step);
    else {
      const [event, data] = step;
      const record = { ...recordOf(url.pathname.slice(1), 10, 'image/jpeg', body.metadata), ...data };
      response.write(`event: ${event}\ndata: ${JSON.stringify(event === 'done' ? { file: record } : data)}\n\n`);
    }
  }
  response.end();
}

/** Reads a form with one file and the text field `metadata`. */
async function readForm(request: IncomingMessage): Promise<{ name: string; size: number; metadata: Record<string, string> }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const form = await new Response(Buffer.concat(chunks), {
    headers: { 'content-type': request.headers['content-type']! },
  }).formData();
  const { name, size } = form.get('file') as File;
  return { name, size, metadata: JSON.parse(String(form.get('metadata') ?? '{}')) as Record<string, string> };
}
