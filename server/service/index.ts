import { setTimeout as delay } from 'node:timers/promises';
import { addressOf } from './http/listening-address.js';
import { FIRST_ACCOUNT } from './identity/first-account.js';
import type { BlobServiceOptions, ListeningAddresses } from './options.js';
import type { App } from './rest/context.js';
import { loadOptional } from './runtime/load-optional.js';
import { MAX_SKEW_MS } from './options.js';
import { settleWithin } from './runtime/settle-within.js';
import type { Core } from './core.js';
import type { Connections } from './http/connections.js';
import type { Metrics } from './http/metrics.js';
import type { S3Endpoint } from './s3/endpoint.js';
import type { MaintenanceOptions } from './storage/maintenance/start-maintenance.js';
import type { Scanner } from './scanning/scanner.js';
import type { Dispatcher } from './webhooks/dispatcher.js';

export type { BlobServiceOptions, ListeningAddresses } from './options.js';

/** A Blob Storage service inside a program. */
export interface BlobService {
  /** The parts below the routes: files, keys, tokens. They work without HTTP and without `listen`. */
  readonly core: Core;
  /** The Fastify instance. Mount it, inject requests, or add hooks before `listen`. */
  readonly app: App;
  /**
   * Opens the ports and starts the regular maintenance.
   * @returns the addresses, with the chosen ports where `port` or `s3Port` is 0.
   * @throws Error if a port is in use, if another service runs on the data directory, or if the clocks of this machine and of the database
   * differ by more than 60 seconds.
   */
  listen(): Promise<ListeningAddresses>;
  /**
   * Accepts no more requests, lets running requests finish for up to 10 seconds, releases the reservations of interrupted uploads, and closes
   * database and store. After `drainSeconds` it takes at most 30 seconds, even if the database does not respond. A second call without `drainSeconds`
   * ends the drain of the first call.
   */
  close(options?: CloseOptions): Promise<void>;
}

export interface CloseOptions {
  /**
   * Seconds during which the service still responds before it closes its ports. `/readyz` responds with 503, so that a load balancer sends
   * new requests elsewhere. Every response carries `Connection: close`, so that clients leave kept connections. @default 0
   */
  drainSeconds?: number;
}

/** Running requests may take this long after `close`. Then their connections are cut, and clients retry them. */
const FINISH_WITHIN_MS = 10_000;
/** After `FINISH_WITHIN_MS`, cut requests and the sweep may take this long to end, even if the database does not respond. */
const END_WITHIN_MS = 3000;

/**
 * Opens the storage, creates what is missing, and builds the service on it. Call `listen` to open the ports.
 * @param options see {@link BlobServiceOptions}; all are optional.
 * @throws Error with the `npm install` line of a missing optional package.
 * @throws Error if the database, the bucket or the data directory cannot be opened, or if the database was made by a newer version.
 * @example
 * const service = await createBlobService({ dataDir: '/var/lib/svc', publicUrl: 'https://files.example.org' });
 * const { url, s3Url } = await service.listen();
 * process.once('SIGTERM', () => service.close({ drainSeconds: 5 }));
 */
export async function createBlobService(options: BlobServiceOptions = {}): Promise<BlobService> {
  const modules = await loadModules();
  const core = await modules.openCore(options);
  await core.images.assertAvailable().catch(async (cause: unknown) => {
    await core.close();
    throw cause;
  });
  const metrics = new modules.Metrics();
  const connections = new modules.Connections({
    limits: options.connectionLimits,
    trustedProxies: options.trustedProxies,
    minimumRate: options.minimumRate,
    onClose: (reason) => metrics.connectionClosed(reason),
  });
  metrics.observeConnections(() => connections.count);
  const app = await modules.buildApp(core, options, metrics, connections).catch(async (cause: unknown) => {
    connections.close();
    await core.close();
    throw cause;
  });
  core.blobs.onReadFailure = (failure) => {
    metrics.readFailed(failure);
    app.log.error({ err: failure.cause, blob: failure.blob, kind: failure.kind }, 'stored bytes could not be read');
  };
  core.images.onResult = (result) => metrics.imageRequested(result);
  core.images.onUnavailable = (cause) => app.log.warn(`images are not resized: ${cause.message}`);
  core.signIns.onAttempt = (result) => metrics.signInAttempted(result);
  const s3 = options.s3Port === false ? undefined : modules.openS3Endpoint(core, options, metrics, app.log);
  connections.watch(app.server);
  if (s3) connections.watch(s3.server);
  const { startMaintenance } = modules;
  const dispatcher = modules.createWebhookDispatcher({ core, app, metrics, publicUrl: options.deliveryUrl ?? options.publicUrl });
  const scanner = modules.createScanner({ core, app, metrics, options });
  return serviceOf({ options, core, app, s3, metrics, connections, dispatcher, scanner, startMaintenance });
}

/** Loads the modules that need optional packages. */
async function loadModules() {
  const { openCore } = await loadOptional('service', () => import('./core.js'));
  const { buildApp } = await loadOptional('service', () => import('./rest/app.js'));
  const { startMaintenance } = await loadOptional('service', () => import('./storage/maintenance/start-maintenance.js'));
  const { createWebhookDispatcher } = await loadOptional('service', () => import('./create-webhook-dispatcher.js'));
  const { createScanner } = await loadOptional('service', () => import('./create-scanner.js'));
  const { openS3Endpoint } = await loadOptional('service', () => import('./s3/endpoint.js'));
  const { Connections } = await loadOptional('service', () => import('./http/connections.js'));
  const { Metrics } = await loadOptional('service', () => import('./http/metrics.js'));
  return { openCore, buildApp, startMaintenance, createWebhookDispatcher, createScanner, openS3Endpoint, Connections, Metrics };
}

type Modules = Awaited<ReturnType<typeof loadModules>>;

/** The opened parts of a service. */
interface ServiceParts {
  options: BlobServiceOptions;
  core: Core;
  app: App;
  /** Undefined if `s3Port` is false. */
  s3: S3Endpoint | undefined;
  metrics: Metrics;
  connections: Connections;
  /** Sends webhooks. */
  dispatcher: Dispatcher;
  /** Scans new files for viruses. Undefined if scanning is off. */
  scanner: Scanner | undefined;
  startMaintenance: Modules['startMaintenance'];
}

function serviceOf(parts: ServiceParts): BlobService {
  const { options, core, app, s3, metrics, dispatcher, scanner, startMaintenance } = parts;
  let stopMaintenance: (() => Promise<void>) | undefined;
  let closed: Promise<void> | undefined;
  const endDrain = new AbortController();
  return {
    core,
    app,
    async listen() {
      const { host = '127.0.0.1', port = 8080, s3Port = 9000 } = options;
      if (options.quotaBytes !== undefined) await core.accounts.setQuota(FIRST_ACCOUNT, options.quotaBytes);
      const isAlone = await core.lockForServing();
      const aloneSince = isAlone ? core.now() : undefined;
      await app.listen({ host, port });
      await s3?.listen(Number(s3Port), host);
      if (isAlone) await core.webhookLeases.endAll();
      dispatcher.start();
      if (isAlone) await core.blobs.scans.endAll();
      scanner?.start();
      // Not awaited, because the first sweep reads the whole store.
      const { activityRetention } = options;
      const stopSweeps = startMaintenance(core, { aloneSince, activityRetention, ...reportTo(metrics, app.log) });
      const stopJobs = core.blobs.jobs.start({
        isAlone,
        onProgress: (progress) => metrics.jobProgressed(progress),
        onFailure: (cause) => app.log.error({ err: cause }, 'job failed'),
      });
      stopMaintenance = async () => void (await Promise.all([stopSweeps(), stopJobs()]));
      return { url: addressOf(app.server), s3Url: s3 ? addressOf(s3.server) : null };
    },
    close({ drainSeconds = 0 } = {}) {
      if (drainSeconds === 0) endDrain.abort();
      closed ??= drain(parts, drainSeconds, endDrain.signal).then(() => closeParts(parts, stopMaintenance));
      return closed;
    },
  };
}

/** Waits while clients move to other replicas, until the signal ends the drain. */
async function drain({ connections, app }: ServiceParts, seconds: number, signal: AbortSignal): Promise<void> {
  connections.drain();
  if (seconds > 0 && app.server.listening) await delay(seconds * 1000, undefined, { signal }).catch(() => {});
}

/** Lets running requests finish, cuts those that take too long, and closes all parts. */
async function closeParts(
  { core, app, s3, connections, dispatcher, scanner }: ServiceParts,
  stopMaintenance: (() => Promise<void>) | undefined,
): Promise<void> {
  const cut = setTimeout(() => {
    app.server.closeAllConnections();
    s3?.server.closeAllConnections();
  }, FINISH_WITHIN_MS);
  await settleWithin(
    FINISH_WITHIN_MS + END_WITHIN_MS,
    Promise.all([stopMaintenance?.(), dispatcher.stop(), scanner?.stop(), s3?.close(), app.close()]),
  );
  clearTimeout(cut);
  connections.close();
  await core.close();
}

/** Reports maintenance to the metrics and the log. A wrong clock is logged once, until it is right again. */
function reportTo(metrics: Metrics, log: App['log']): Omit<MaintenanceOptions, 'aloneSince' | 'activityRetention'> {
  let isSkewed = false;
  return {
    onSweep: (report) => metrics.swept(report),
    onClockMeasured: (skew) => {
      metrics.clockMeasured(skew);
      const wasSkewed = isSkewed;
      isSkewed = Math.abs(skew) > MAX_SKEW_MS;
      if (isSkewed && !wasSkewed) log.error({ skew }, `the clock of this machine is wrong by ${Math.round(skew / 1000)} seconds`);
    },
    onFailure: (cause) => log.error({ err: cause }, 'sweep failed'),
  };
}
