import { once } from 'node:events';
import type { Server } from 'node:http';
import { serve } from '@hono/node-server';
import { createTokenMinter } from '../../server/helper/index.js';
import { createDemo } from './app.js';

export interface StartDemoOptions {
  apiKey: string;
  /** Base address of Blob Storage. */
  url: string;
  host: string;
  port: number;
  /** The built package. */
  dist: string;
}

/** Listens with the demo. @returns how to stop it */
export async function startDemo({ apiKey, url, host, port, dist }: StartDemoOptions): Promise<{ close(): Promise<void> }> {
  const minter = createTokenMinter({ apiKey, url });
  const server = serve({ fetch: createDemo({ minter, dist }).fetch, hostname: host, port }) as Server;
  if (!server.listening) await once(server, 'listening');
  return {
    async close() {
      server.closeAllConnections();
      if (server.listening) await once(server.close(), 'close');
    },
  };
}
