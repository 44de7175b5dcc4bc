import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createSecureServer } from 'node:http2';
import type { Http2Session } from 'node:http2';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createCertificate } from './certificate.js';

export interface Http2Proxy {
  url: string;
  /** Requests by method and path. */
  readonly requests: string[];
  /** Ends the next `count` sessions with all of their requests, each when one request has sent `afterBytes` bytes. */
  breakSessions(count: number, afterBytes: number): void;
  close(): Promise<void>;
}

const HOP_BY_HOP = ['connection', 'keep-alive', 'transfer-encoding'];

/** Starts a proxy that speaks HTTP/2 with browsers, with a self-signed certificate, and HTTP/1.1 with the service. */
export async function startHttp2Proxy(target: string, folder: string): Promise<Http2Proxy> {
  const { hostname, port, host } = new URL(target);
  const paths = createCertificate(folder);
  const [key, cert] = await Promise.all([readFile(paths.key), readFile(paths.cert)]);
  const server = createSecureServer({ key, cert });
  const sessions = new Set<Http2Session>();
  const requests: string[] = [];
  let breaks = { count: 0, afterBytes: 0 };

  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session)).on('error', () => {});
  });
  server.on('stream', (stream, headers) => {
    const { ':method': method = '', ':path': path = '' } = headers;
    requests.push(`${method} ${path}`);
    const passed = Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(':')));
    const upstream = request({ hostname, port, method, path, headers: { ...passed, host } }, (response) => {
      const responseHeaders = Object.entries(response.headers).filter(([name]) => !HOP_BY_HOP.includes(name));
      if (stream.destroyed) return;
      stream.respond({ ':status': response.statusCode, ...Object.fromEntries(responseHeaders) });
      response.pipe(stream);
    });
    upstream.on('error', () => stream.close());
    stream.on('error', () => {}).on('close', () => upstream.destroy());
    let bytes = 0;
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (breaks.count === 0 || bytes < breaks.afterBytes) return;
      breaks.count -= 1;
      upstream.destroy();
      stream.session?.destroy();
    });
    stream.pipe(upstream);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    breakSessions: (count, afterBytes) => void (breaks = { count, afterBytes }),
    async close() {
      for (const session of sessions) session.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
