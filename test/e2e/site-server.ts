import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';
import { createTokenMinter, createTokenRoute, toNodeHandler } from '../../server/helper/index.js';
import type { Product } from './product.js';

export interface PageServer {
  origin: string;
  stop(): Promise<void>;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

async function startServer(handler: Handler): Promise<PageServer> {
  const server = createServer((request, response) => void handler(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const SCRIPT = { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' };

/** Serves a built file under `/assets/v1/`, like a content delivery network. */
const serveBuiltFile: Handler = async ({ url = '' }, response) => {
  const path = join('dist', normalize(url.replace('/assets/v1/', '/')));
  const file = await readFile(path).catch(() => undefined);
  if (file === undefined) return response.writeHead(404).end();
  return response.writeHead(200, SCRIPT).end(file);
};
/** Serves the built files from an origin of their own. */
export const serveBuiltFiles = (): Promise<PageServer> => startServer(serveBuiltFile);

/** Serves a page with a Content-Security-Policy and a body, the built files, a script at `/page.js`, and a token route at `/token`. */
export function serveSite(product: Product, page: { csp: string; body: string; script: string }): Promise<PageServer> {
  const minter = createTokenMinter({ apiKey: product.apiKey, url: product.service });
  const token = toNodeHandler(createTokenRoute(minter, { authorize: () => ({ prefix: 'strict', max_uses: 20 }) }));
  return startServer((request, response) => {
    if (request.url === '/token') return token(request, response);
    if (request.url?.startsWith('/assets/')) return serveBuiltFile(request, response);
    if (request.url === '/page.js') return response.writeHead(200, SCRIPT).end(page.script);
    if (request.url !== '/') return response.writeHead(204).end();
    const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': page.csp };
    return response.writeHead(200, headers).end(`<!doctype html><html lang="en"><title>A page</title>${page.body}</html>`);
  });
}
