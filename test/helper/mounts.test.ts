import { createServer, request } from 'node:http';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { BlobError, createTokenMinter, createTokenRoute, toNodeHandler } from '../../server/helper/index.js';
import type { TokenRoute } from '../../server/helper/index.js';
import { API_KEY, tokenResponse, startFakeService, respondJson } from './fake-service.js';

/** Functions that mount the route at /upload-token on a free port. */
const MOUNTS: Record<string, (route: TokenRoute) => Promise<Server>> = {
  'node:http': (route) => waitUntilListening(createServer(toNodeHandler(route)).listen(0, '127.0.0.1')),
  Express: (route) => {
    const app = express();
    app.post('/upload-token', toNodeHandler(route));
    return waitUntilListening(app.listen(0, '127.0.0.1'));
  },
  'Express with a body parser before it': (route) => {
    const app = express().use(express.json());
    app.post('/upload-token', toNodeHandler(route));
    return waitUntilListening(app.listen(0, '127.0.0.1'));
  },
  Fastify: async (route) => {
    const app = fastify({ forceCloseConnections: true });
    const handler = toNodeHandler(route);
    app.post('/upload-token', (request, reply) => {
      reply.hijack();
      return handler(Object.assign(request.raw, { body: request.body }), reply.raw);
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    return app.server;
  },
  Hono: (route) => {
    const app = new Hono();
    app.post('/upload-token', (c) => route(c.req.raw));
    return waitUntilListening(serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server);
  },
};

const servers: Server[] = [];
async function waitUntilListening(server: Server): Promise<Server> {
  if (!server.listening)
    await new Promise<void>((resolve) => {
      server.once('listening', resolve);
    });
  return server;
}
const mountRoute = async (name: string, route: TokenRoute): Promise<string> => {
  const server = await MOUNTS[name]!(route);
  servers.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/upload-token`;
};
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

const tokenRequest = (headers: Record<string, string> = {}) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ files: [{ name: 'Ünï 😀.pdf', size: 3, type: '' }] }),
});

describe.each(Object.keys(MOUNTS))('a token route mounted on %s', (name) => {
  it('receives file names and cookies unchanged', async () => {
    await using service = await startFakeService(respondJson(201, tokenResponse()));
    const minter = createTokenMinter({ apiKey: API_KEY, url: service.url });
    const received: unknown[] = [];
    const route = createTokenRoute(minter, {
      authorize: ({ request, files }) => {
        received.push(request.headers.get('cookie'), files[0]!.name, new URL(request.url).pathname);
        return { prefix: 'inbox' };
      },
    });
    const url = await mountRoute(name, route);
    const response = await fetch(url, tokenRequest({ cookie: 'a=1' }));
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toMatchObject({ token: 'svcup_secret', url: service.url });
    expect(received).toEqual(['a=1', 'Ünï 😀.pdf', '/upload-token']);
  });

  it('refuses pages of other origins', async () => {
    const minter = createTokenMinter({ apiKey: API_KEY, url: 'http://127.0.0.1:1' });
    const url = await mountRoute(name, createTokenRoute(minter, { authorize: () => ({ prefix: 'inbox' }) }));
    const response = await fetch(url, tokenRequest({ origin: 'https://evil.example' }));
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: 'ORIGIN_DENIED' });
  });
});

describe('toNodeHandler', () => {
  const refusingRoute = createTokenRoute(createTokenMinter({ apiKey: API_KEY, url: 'http://127.0.0.1:1' }), {
    authorize: () => null,
  });

  it('responds to a body that is too long without closing the connection', async () => {
    const url = await mountRoute('node:http', refusingRoute);
    const response = await fetch(url, { ...tokenRequest(), body: JSON.stringify({ files: ['x'.repeat(1_000_000)] }) });
    expect(response.status).toBe(413);
    expect((await fetch(url, tokenRequest())).status).toBe(403);
  });

  it('responds with 400 to an invalid Host header', async () => {
    const url = new URL(await mountRoute('node:http', refusingRoute));
    const status = await new Promise((resolve, reject) => {
      const options = { host: url.hostname, port: url.port, method: 'POST', headers: { host: 'a b:c' } };
      request(options, (response) => resolve(response.resume().statusCode))
        .once('error', reject)
        .end();
    });
    expect(status).toBe(400);
  });

  /** Sends a request target and a Host header unchanged. @returns the URL that the route receives, or the status if it is not called */
  async function sendRawRequest(target: string, host: string): Promise<string | number> {
    let received: string | undefined;
    const route: TokenRoute = (request) => {
      received = request.url;
      return Promise.resolve(new Response());
    };
    const { port } = new URL(await mountRoute('node:http', route));
    const head = `POST ${target} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
    const response = await new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect(Number(port), '127.0.0.1', () => socket.write(head));
      socket.on('data', (chunk) => (text += String(chunk)));
      socket.once('end', () => resolve(text)).once('error', reject);
    });
    return received ?? Number(response.split(' ')[1]);
  }

  it.each([
    ['/upload-token?a=1', 'http://site.example/upload-token?a=1'],
    ['//evil.example/upload-token', 'http://site.example//evil.example/upload-token'],
    ['/\\evil.example', 'http://site.example//evil.example'],
    ['http://evil.example/upload-token?a=1', 'http://site.example/upload-token?a=1'],
    ['http://evil.example', 'http://site.example/'],
    ['https://user:secret@evil.example:444/a', 'http://site.example/a'],
    ['http://[/', 'http://site.example/'],
    ['*', 'http://site.example/'],
    ['/%', 'http://site.example/%'],
  ])("keeps the mount's origin for the request target %s", async (target, url) => {
    expect(await sendRawRequest(target, 'site.example')).toBe(url);
  });

  it.each(['evil.example/path', 'user@evil.example', 'evil.example?a', 'evil.example#a', '[', 'a b'])(
    'responds with 400 to the Host header %s',
    async (host) => {
      expect(await sendRawRequest('/upload-token', host)).toBe(400);
    },
  );

  /** Mounts a route on Express behind a middleware that responds with 503 when the route calls `expired`. */
  async function mountBehindTimeout(route: (expired: () => void) => TokenRoute, onError: (error: unknown) => void) {
    const app = express();
    let expire: () => void = () => {};
    app.use((_request, response, next) => {
      expire = () => void response.status(503).send('timed out');
      next();
    });
    app.post(
      '/upload-token',
      toNodeHandler(
        route(() => expire()),
        { onError },
      ),
    );
    const server = await waitUntilListening(app.listen(0, '127.0.0.1'));
    servers.push(server);
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/upload-token`;
  }

  it('sends and mints nothing after a timeout middleware has responded', async () => {
    await using service = await startFakeService(respondJson(201, tokenResponse()));
    const minter = createTokenMinter({ apiKey: API_KEY, url: service.url });
    const onError = vi.fn();
    const url = await mountBehindTimeout(
      (expire) =>
        createTokenRoute(minter, {
          async authorize({ signal }) {
            const aborted = new Promise((resolve) => {
              signal.addEventListener('abort', resolve);
            });
            expire();
            await aborted;
            return { prefix: 'inbox' };
          },
        }),
      onError,
    );
    for (let round = 0; round < 2; round++) {
      const response = await fetch(url, tokenRequest());
      expect([response.status, await response.text()]).toEqual([503, 'timed out']);
    }
    expect(service.requests).toEqual([]);
    expect(onError).not.toHaveBeenCalled();
  });

  it('sends nothing if a timeout responds while the response of the route is read', async () => {
    const onError = vi.fn();
    const slow = (expire: () => void) => async () => {
      const pull = (controller: ReadableStreamDefaultController) => {
        expire();
        controller.close();
      };
      return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
    };
    const response = await fetch(await mountBehindTimeout(slow, onError), tokenRequest());
    expect([response.status, await response.text()]).toEqual([503, 'timed out']);
    expect(onError).not.toHaveBeenCalled();
  });

  it.each<[string, TokenRoute]>([
    ['rejects', () => Promise.reject(new Error('broken'))],
    ['rejects with undefined', () => Promise.reject(undefined as never)],
    ['throws synchronously', (): never => JSON.parse('{') as never],
    ['resolves with nothing', () => Promise.resolve(undefined as never)],
    ['resolves with a response of status 0', () => Promise.resolve(Response.error())],
    [
      'resolves with a body that breaks off',
      () => Promise.resolve(new Response(new ReadableStream({ pull: (controller) => controller.error(new Error('cut')) }))),
    ],
  ])('responds with 500 and reports the error if a route %s', async (_case, broken) => {
    const onError = vi.fn();
    const server = await waitUntilListening(createServer(toNodeHandler(broken, { onError })).listen(0, '127.0.0.1'));
    servers.push(server);
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, tokenRequest());
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([500, 'INTERNAL_SERVER_ERROR']);
    expect(onError).toHaveBeenCalledOnce();
  });

  it.each(['writeHead', 'end'] as const)('closes the connection if %s of a framework throws', async (method) => {
    const onError = vi.fn();
    const server = createServer((incoming, outgoing) => {
      outgoing[method] = () => {
        throw new Error('broken');
      };
      void toNodeHandler(refusingRoute, { onError })(incoming, outgoing);
    });
    servers.push(await waitUntilListening(server.listen(0, '127.0.0.1')));
    await expect(fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, tokenRequest())).rejects.toThrow();
    expect(onError).toHaveBeenCalled();
  });

  it.each([99, 204, Number.NaN, 1e9])(
    'refuses after a BlobError with the status %s and details that are not JSON',
    async (status) => {
      const minter = createTokenMinter({ apiKey: API_KEY, url: 'http://127.0.0.1:1' });
      const authorize = () => {
        throw new BlobError('PLAN_FULL' as never, 'no', { status, details: { size: 1n } });
      };
      for (const name of ['node:http', 'Express', 'Hono']) {
        const url = await mountRoute(name, createTokenRoute(minter, { authorize, onError: () => {} }));
        expect((await fetch(url, tokenRequest())).status).toBe(403);
      }
    },
  );

  it('aborts the signal of authorize when the page disconnects', async () => {
    let aborted: (() => void) | undefined;
    const gone = new Promise<void>((resolve) => {
      aborted = resolve;
    });
    const minter = createTokenMinter({ apiKey: API_KEY, url: 'http://127.0.0.1:1' });
    const page = new AbortController();
    const route = createTokenRoute(minter, {
      authorize: ({ signal }) => {
        signal.addEventListener('abort', () => aborted?.());
        page.abort();
        return gone.then(() => null);
      },
    });
    const url = await mountRoute('node:http', route);
    await expect(fetch(url, { ...tokenRequest(), signal: page.signal })).rejects.toThrow();
    await gone;
  });
});
