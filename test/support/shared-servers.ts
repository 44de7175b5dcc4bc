import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { build } from '../../scripts/build.js';
import { startPostgres } from './postgres.js';
import { startS3Engine } from './s3-engine.js';

type Starter = () => Promise<{ stop(): Promise<unknown> }>;

/**
 * Vitest's global set-up. Test files share one PostgreSQL and one S3 engine per run. Each starts when the first file asks for it,
 * so that a run of one file starts nothing that the file does not need.
 *
 * @returns the tear-down, which stops the servers
 */
export default (): Promise<(() => Promise<void>) | undefined> => shareServers();

/** Shares servers like the default set-up. @param more starts other servers, by their paths */
export async function shareServers(more: Record<string, Starter> = {}): Promise<(() => Promise<void>) | undefined> {
  // Vitest calls this once for each project.
  if (process.env['TEST_SERVERS']) return undefined;
  const started = new Map<string, ReturnType<Starter>>();
  const starters: Record<string, Starter> = {
    '/build': async () => {
      await build({ ifStale: true });
      return { stop: async () => {} };
    },
    '/postgres': startPostgres,
    '/s3/ceph': () => startS3Engine('ceph'),
    '/s3/own': () => startS3Engine('own'),
    ...more,
  };
  const broker = createServer((request, response) => {
    const name = request.url ?? '';
    const start = starters[name];
    if (!start) return void response.writeHead(404).end();
    const server = started.get(name) ?? start();
    started.set(name, server);
    server.then(
      (details) => response.end(JSON.stringify(details)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => broker.listen(0, '127.0.0.1', resolve));
  process.env['TEST_SERVERS'] = `http://127.0.0.1:${(broker.address() as AddressInfo).port}`;
  return async () => {
    broker.close();
    broker.closeAllConnections();
    delete process.env['TEST_SERVERS'];
    for (const server of started.values()) await server.then(({ stop }) => stop()).catch(() => {});
  };
}
