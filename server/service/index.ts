import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FIRST_ACCOUNT } from './accounts/accounts.js';
import type { BlobServiceOptions, ListeningAddresses } from './options.js';
import type { App } from './http/context.js';
import { optional } from './optional.js';
import type { Core } from './storage.js';

export type { BlobServiceOptions, ListeningAddresses } from './options.js';

/** A Blob Storage service inside your own program. */
export interface BlobService {
  /** Everything below the routes: files, keys, tokens, without HTTP between. */
  readonly core: Core;
  /** The Fastify instance, for mounting, injecting requests or adding hooks before `listen`. */
  readonly app: App;
  /** Opens the ports. @returns the addresses, with the ports that were free when 0 was asked for. */
  listen(): Promise<ListeningAddresses>;
  /** Takes no more requests, lets running ones finish (10 seconds at most) and closes database and store. */
  close(): Promise<void>;
}

/** How often dead uploads, expired files and freed bytes are looked for, ms. */
const SWEEP_EVERY = 30_000;
/** Requests that run when the service is told to stop have this long, ms; clients of what is cut then try again. */
const FINISH_WITHIN = 10_000;
/** In one of so many rounds the whole store is read through for bytes that no record knows: four times a day. */
const ORPHANS_EVERY = 720;

/**
 * Opens (and makes, where missing) the storage and builds the service over it.
 * @throws with the one `npm install` line when an optional package is missing.
 */
export async function createBlobService(options: BlobServiceOptions = {}): Promise<BlobService> {
  const { openCore } = await optional('service', () => import('./storage.js'));
  const { buildApp } = await optional('service', () => import('./app.js'));
  const core = await openCore(options);
  const { openS3 } = await optional('service', () => import('./s3/open.js'));
  const { Metrics } = await optional('service', () => import('./http/metrics.js'));
  const metrics = new Metrics();
  const app = await buildApp(core, options, metrics).catch(async (cause: unknown) => {
    await core.close();
    throw cause;
  });
  const s3 = options.s3Port === false ? undefined : openS3(core, options, app.log);
  let timer: NodeJS.Timeout | undefined;
  let rounds = 0;
  return {
    core,
    app,
    async listen() {
      const { host = '127.0.0.1', port = 8080, s3Port = 9000 } = options;
      if (options.quotaBytes !== undefined) await core.accounts.setQuota(FIRST_ACCOUNT, options.quotaBytes);
      metrics.swept(await core.blobs.sweep({ everything: await core.claim() }));
      timer = setInterval(() => {
        core.blobs.sweep({ orphans: ++rounds % ORPHANS_EVERY === 0 }).then(
          (report) => metrics.swept(report),
          (cause: unknown) => app.log.error({ err: cause }, 'sweep failed'),
        );
      }, SWEEP_EVERY).unref();
      await app.listen({ host, port });
      await s3?.listen(Number(s3Port), host);
      return { url: addressOf(app.server), s3Url: s3 ? addressOf(s3.server) : null };
    },
    async close() {
      clearInterval(timer);
      const cut = setTimeout(() => app.server.closeAllConnections(), FINISH_WITHIN);
      await Promise.all([s3?.close(), app.close()]).finally(() => clearTimeout(cut));
      await core.close();
    },
  };
}

function addressOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  const name = address === '::' || address === '0.0.0.0' ? 'localhost' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${name}:${port}`;
}
