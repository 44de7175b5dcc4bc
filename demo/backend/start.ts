import { once } from 'node:events';
import type { Server } from 'node:http';
import { serve } from '@hono/node-server';
import { createTokenMinter } from '../../server/helper/index.js';
import { createDemo } from './app.js';
import { startSimulatedNetwork } from './simulated-network.js';
import { TemporaryKeys } from './temporary-keys.js';

export interface StartDemoOptions {
  apiKey: string;
  /** Base address of Blob Storage. */
  url: string;
  /** Base address of the S3 endpoint. */
  s3Url: string;
  host: string;
  port: number;
  /** Folder of the built package. */
  dist: string;
}

/** Origins under which a browser on this machine may open the demo. */
const localOrigins = (port: number): string[] => ['localhost', '127.0.0.1'].map((name) => `http://${name}:${port}`);

/** Starts the demo and the simulated network of its playground. @returns a function that stops both */
export async function startDemo({ apiKey, url, s3Url, host, port, dist }: StartDemoOptions): Promise<{ close(): Promise<void> }> {
  const network = await startSimulatedNetwork(url, host);
  const networkUrl = `http://${new URL(url).hostname}:${network.port}`;
  const keys = new TemporaryKeys({ apiKey, url, endpoint: s3Url, origins: localOrigins(port) });
  const demo = createDemo({
    minter: createTokenMinter({ apiKey, url }),
    networkMinter: createTokenMinter({ apiKey, url, publicUrl: networkUrl }),
    networkRoutes: network.routes,
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
      await network.close();
    },
  };
}
