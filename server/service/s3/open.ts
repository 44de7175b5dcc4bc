import type { FastifyBaseLogger } from 'fastify';
import type { Server } from 'node:http';
import { once } from 'node:events';
import type { Metrics } from '../http/metrics.js';
import { MINIMUM_RATE } from '../http/minimum-rate.js';
import { Limits } from '../identity/limits/limits.js';
import type { BlobServiceOptions } from '../options.js';
import type { Core } from '../core.js';
import { createS3Server } from './listen.js';

export interface S3Endpoint {
  readonly server: Server;
  /** @throws when the port is taken. */
  listen(port: number, host: string): Promise<void>;
  /** Takes no more requests; resolves when the running ones have ended. Whoever is in a hurry closes their connections. */
  close(): Promise<void>;
}

export type S3Options = Pick<BlobServiceOptions, 's3Domains' | 's3Region' | 'trustedProxies' | 'rateLimits' | 'minimumRate'>;

/** The S3 endpoint over an opened core. */
export function openS3(
  core: Pick<Core, 'blobs' | 's3Credentials' | 'counters' | 'now'>,
  options: S3Options,
  metrics: Metrics,
  log: FastifyBaseLogger,
): S3Endpoint {
  const limits = new Limits(core.counters, options.rateLimits ?? {}, core.now);
  let running = 0;
  let whenIdle: (() => void) | undefined;
  const server = createS3Server({
    blobs: core.blobs,
    findCredential: (id) => core.s3Credentials.find(id),
    region: options.s3Region ?? 'us-east-1',
    domains: (options.s3Domains ?? ['localhost']).map((one) => one.toLowerCase()).sort((a, b) => b.length - a.length),
    trustedProxies: options.trustedProxies ?? [],
    minimumRate: options.minimumRate ?? MINIMUM_RATE,
    now: core.now,
    admit: (accountId) => limits.admitS3(accountId),
    admitListing: (address) => limits.admitListing(address),
    began() {
      running += 1;
      metrics.s3Began();
    },
    ended(entry) {
      running -= 1;
      metrics.s3Ended(entry);
      const { cause, ...told } = entry;
      // 501 is the client's mistake: it asked for an operation that is not offered.
      const isFailure = (told.status >= 500 && told.status !== 501) || cause !== undefined;
      if (isFailure) log.error({ s3: told, err: cause }, 's3 request failed');
      else log.info({ s3: told }, 's3 request');
      if (running === 0) whenIdle?.();
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
      await once(server, 'close');
      // What lost its connection may still be putting its things away.
      if (running > 0) await new Promise<void>((resolve) => (whenIdle = resolve));
    },
  };
}
