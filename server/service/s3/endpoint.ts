import type { FastifyBaseLogger } from 'fastify';
import type { Server } from 'node:http';
import { once } from 'node:events';
import type { Metrics } from '../http/metrics.js';
import { MINIMUM_RATE } from '../http/minimum-rate.js';
import { Limits } from '../identity/limits/limits.js';
import type { BlobServiceOptions } from '../options.js';
import type { Core } from '../core.js';
import { createS3Server } from './server.js';

export interface S3Endpoint {
  readonly server: Server;
  /** @throws if the port is in use. */
  listen(port: number, host: string): Promise<void>;
  /** Stops accepting requests and waits for running ones. To stop sooner, close the connections of `server`. */
  close(): Promise<void>;
}

export type S3EndpointOptions = Pick<
  BlobServiceOptions,
  's3Domains' | 's3Region' | 'trustedProxies' | 'rateLimits' | 'minimumRate'
>;

/** Creates the S3 endpoint of an opened core. */
export function openS3Endpoint(
  core: Pick<Core, 'blobs' | 's3Credentials' | 'counters' | 'now'>,
  options: S3EndpointOptions,
  metrics: Metrics,
  log: FastifyBaseLogger,
): S3Endpoint {
  const limits = new Limits(core.counters, options.rateLimits ?? {}, core.now);
  let running = 0;
  let whenIdle: (() => void) | undefined;
  const server = createS3Server({
    blobs: core.blobs,
    findKeyPair: (id) => core.s3Credentials.find(id),
    creatorOfKeyPair: (id) => core.s3Credentials.creatorOf(id),
    region: options.s3Region ?? 'us-east-1',
    domains: (options.s3Domains ?? ['localhost']).map((domain) => domain.toLowerCase()).sort((a, b) => b.length - a.length),
    trustedProxies: options.trustedProxies ?? [],
    minimumRate: options.minimumRate ?? MINIMUM_RATE,
    now: core.now,
    countRequest: (accountId) => limits.countS3Request(accountId),
    countListing: (address) => limits.countListing(address),
    onRequestStart() {
      running += 1;
      metrics.s3RequestStarted();
    },
    onRequestEnd(entry) {
      running -= 1;
      metrics.s3RequestEnded(entry);
      const { cause, account, traffic, ...fields } = entry;
      if (account !== undefined)
        core.blobs.dailySums.add(account, {
          requests: 1,
          errors: fields.status >= 400 ? 1 : 0,
          bytesIn: traffic.received,
          bytesOut: traffic.sent,
        });
      // 501 is an error of the client, which requested an unsupported operation.
      const isFailure = (fields.status >= 500 && fields.status !== 501) || cause !== undefined;
      if (isFailure) log.error({ s3: fields, err: cause }, 's3 request failed');
      else log.info({ s3: fields }, 's3 request');
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
      // Requests whose connection was closed may still be cleaning up.
      if (running > 0) await new Promise<void>((resolve) => (whenIdle = resolve));
    },
  };
}
