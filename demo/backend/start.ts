import { once } from 'node:events';
import type { Server } from 'node:http';
import { serve } from '@hono/node-server';
import { createTokenMinter } from '../../server/helper/index.js';
import { createDemo } from './app.js';
import { startLine } from './line.js';
import { TemporaryKeys } from './temporary-keys.js';

export interface StartDemoOptions {
  apiKey: string;
  /** Base address of Blob Storage. */
  url: string;
  /** Base address of the S3 endpoint. */
  s3Url: string;
  host: string;
  port: number;
  /** The built package. */
  dist: string;
}

/** How a browser on this machine may name the demo. */
const ownOrigins = (port: number): string[] => ['localhost', '127.0.0.1'].map((name) => `http://${name}:${port}`);

/** Listens with the demo and with the line its playground breaks. @returns how to stop both */
export async function startDemo({ apiKey, url, s3Url, host, port, dist }: StartDemoOptions): Promise<{ close(): Promise<void> }> {
  const line = await startLine(url, host);
  const publicUrl = `http://${new URL(url).hostname}:${line.port}`;
  const keys = new TemporaryKeys({ apiKey, url, endpoint: s3Url, origins: ownOrigins(port) });
  const demo = createDemo({
    minter: createTokenMinter({ apiKey, url }),
    lineMinter: createTokenMinter({ apiKey, url, publicUrl }),
    line: line.routes,
    keys,
    dist,
  });
  const server = serve({ fetch: demo.fetch, hostname: host, port }) as Server;
  if (!server.listening) await once(server, 'listening');
  return {
    async close() {
      server.closeAllConnections();
      if (server.listening) await once(server.close(), 'close');
      await keys.close();
      await line.close();
    },
  };
}
