import type { FastifyBaseLogger } from 'fastify';
import type { Server } from 'node:http';
import { once } from 'node:events';
import type { BlobServiceOptions } from '../options.js';
import type { Core } from '../storage.js';
import { createS3Server } from './listen.js';

export interface S3Endpoint {
  readonly server: Server;
  /** @throws when the port is taken. */
  listen(port: number, host: string): Promise<void>;
  /** Ends running requests. */
  close(): Promise<void>;
}

/** The S3 endpoint over an opened core. */
export function openS3(
  core: Pick<Core, 'blobs' | 's3Credentials' | 'now'>,
  options: Pick<BlobServiceOptions, 's3Domains' | 's3Region'>,
  log: FastifyBaseLogger,
): S3Endpoint {
  const server = createS3Server({
    blobs: core.blobs,
    findCredential: (id) => core.s3Credentials.find(id),
    region: options.s3Region ?? 'us-east-1',
    domains: (options.s3Domains ?? ['localhost']).map((one) => one.toLowerCase()).sort((a, b) => b.length - a.length),
    now: core.now,
    log({ cause, ...entry }) {
      if (entry.status >= 500 || cause !== undefined) log.error({ s3: entry, err: cause }, 's3 request failed');
      else log.info({ s3: entry }, 's3 request');
    },
  });
  return {
    server,
    async listen(port, host) {
      server.listen(port, host);
      await once(server, 'listening');
    },
    async close() {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
