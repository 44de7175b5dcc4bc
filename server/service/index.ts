import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { FIRST_ACCOUNT } from './identity/first-account.js';
import type { BlobServiceOptions, ListeningAddresses } from './options.js';
import type { App } from './rest/context.js';
import { loadOptional } from './runtime/load-optional.js';
import { MAX_SKEW } from './options.js';
import { settleWithin } from './runtime/settle-within.js';
import type { Core } from './core.js';

export type { BlobServiceOptions, ListeningAddresses } from './options.js';

/** A Blob Storage service inside your own program. */
export interface BlobService {
  /** Everything below the routes: files, keys, tokens, without HTTP between. */
  readonly core: Core;
  /** The Fastify instance, for mounting, injecting requests or adding hooks before `listen`. */
  readonly app: App;
  /** Opens the ports. @returns the addresses, with the ports that were free when 0 was asked for. */
  listen(): Promise<ListeningAddresses>;
  /**
   * Takes no more requests, lets running ones finish (10 seconds at most), releases what the others hold, and closes database and store. Takes
   * half a minute at most behind `drainSeconds`, also if the database does not answer.
   * A second call without `drainSeconds` ends the first one's wait.
   */
  close(options?: CloseOptions): Promise<void>;
}

export interface CloseOptions {
  /**
   * Seconds in which the service still answers before it closes its ports: `/readyz` with 503, so that a load balancer sends new requests
   * elsewhere, and every response with `Connection: close`, so that clients leave kept connections. @default 0
   */
  drainSeconds?: number;
}

/** Requests that run when the service is told to stop have this long, ms; clients of what is cut then try again. */
const FINISH_WITHIN = 10_000;
/** Requests that were cut, and the sweep, have this long to end, even if they wait for a database that does not answer. ms */
const END_WITHIN = 3000;

/**
 * Opens (and makes, where missing) the storage and builds the service over it.
 * @throws with the one `npm install` line when an optional package is missing.
 */
export async function createBlobService(options: BlobServiceOptions = {}): Promise<BlobService> {
  const { openCore } = await loadOptional('service', () => import('./core.js'));
  const { buildApp } = await loadOptional('service', () => import('./rest/app.js'));
  const core = await openCore(options);
  const { startMaintenance } = await loadOptional('service', () => import('./storage/maintenance/start-maintenance.js'));
  const { openS3Endpoint } = await loadOptional('service', () => import('./s3/endpoint.js'));
  const { Connections } = await loadOptional('service', () => import('./http/connections.js'));
  const { Metrics } = await loadOptional('service', () => import('./http/metrics.js'));
  const metrics = new Metrics();
  const { connectionLimits: limits, trustedProxies, minimumRate } = options;
  const connections = new Connections({
    limits,
    trustedProxies,
    minimumRate,
    onClose: (reason) => metrics.connectionClosed(reason),
  });
  metrics.observeConnections(() => connections.count);
  const app = await buildApp(core, options, metrics, connections).catch(async (cause: unknown) => {
    connections.close();
    await core.close();
    throw cause;
  });
  core.blobs.onReadFailure = (failure) => {
    metrics.readFailed(failure);
    app.log.error({ err: failure.cause, blob: failure.blob, kind: failure.kind }, 'stored bytes could not be read');
  };
  const s3 = options.s3Port === false ? undefined : openS3Endpoint(core, options, metrics, app.log);
  connections.watch(app.server);
  if (s3) connections.watch(s3.server);
  let stopSweeping: (() => Promise<void>) | undefined;
  let closed: Promise<void> | undefined;
  const endDrain = new AbortController();

  async function drain(seconds: number): Promise<void> {
    connections.drain();
    if (seconds > 0 && app.server.listening) await delay(seconds * 1000, undefined, { signal: endDrain.signal }).catch(() => {});
  }

  async function closeAll(): Promise<void> {
    const cut = setTimeout(() => {
      app.server.closeAllConnections();
      s3?.server.closeAllConnections();
    }, FINISH_WITHIN);
    await settleWithin(FINISH_WITHIN + END_WITHIN, Promise.all([stopSweeping?.(), s3?.close(), app.close()]));
    clearTimeout(cut);
    connections.close();
    await core.close();
  }

  let isSkewed = false;
  /** The log tells of a wrong clock once, until it is right again. */
  const tellSkew = (skew: number) => {
    metrics.clockMeasured(skew);
    const wasSkewed = isSkewed;
    isSkewed = Math.abs(skew) > MAX_SKEW;
    if (isSkewed && !wasSkewed)
      app.log.error({ skew }, `the clock of this machine is wrong by ${Math.round(skew / 1000)} seconds`);
  };
  return {
    core,
    app,
    async listen() {
      const { host = '127.0.0.1', port = 8080, s3Port = 9000 } = options;
      if (options.quotaBytes !== undefined) await core.accounts.setQuota(FIRST_ACCOUNT, options.quotaBytes);
      const alone = await core.claim();
      const aloneSince = alone ? core.now() : undefined;
      await app.listen({ host, port });
      await s3?.listen(Number(s3Port), host);
      // Nobody waits for it: it reads through the whole store.
      stopSweeping = startMaintenance(core, {
        aloneSince,
        onSweep: (report) => metrics.swept(report),
        onClockMeasured: tellSkew,
        onFailure: (cause) => app.log.error({ err: cause }, 'sweep failed'),
      });
      return { url: addressOf(app.server), s3Url: s3 ? addressOf(s3.server) : null };
    },
    close({ drainSeconds = 0 } = {}) {
      if (drainSeconds === 0) endDrain.abort();
      return (closed ??= drain(drainSeconds).then(closeAll));
    },
  };
}

function addressOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  const name = address === '::' || address === '0.0.0.0' ? 'localhost' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${name}:${port}`;
}
