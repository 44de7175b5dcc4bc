import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FIRST_ACCOUNT } from './accounts/first-account.js';
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

/** Requests that run when the service is told to stop have this long, ms; clients of what is cut then try again. */
const FINISH_WITHIN = 10_000;

/**
 * Opens (and makes, where missing) the storage and builds the service over it.
 * @throws with the one `npm install` line when an optional package is missing.
 */
export async function createBlobService(options: BlobServiceOptions = {}): Promise<BlobService> {
  const { openCore } = await optional('service', () => import('./storage.js'));
  const { buildApp } = await optional('service', () => import('./app.js'));
  const core = await openCore(options);
  const { startSweeping } = await optional('service', () => import('./sweeper.js'));
  const { openS3 } = await optional('service', () => import('./s3/open.js'));
  const { Metrics } = await optional('service', () => import('./http/metrics.js'));
  const metrics = new Metrics();
  const app = await buildApp(core, options, metrics).catch(async (cause: unknown) => {
    await core.close();
    throw cause;
  });
  const s3 = options.s3Port === false ? undefined : openS3(core, options, metrics, app.log);
  let stopSweeping: (() => Promise<void>) | undefined;
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
      stopSweeping = startSweeping(core, {
        aloneSince,
        swept: (report) => metrics.swept(report),
        failed: (cause) => app.log.error({ err: cause }, 'sweep failed'),
      });
      return { url: addressOf(app.server), s3Url: s3 ? addressOf(s3.server) : null };
    },
    async close() {
      const cut = setTimeout(() => {
        app.server.closeAllConnections();
        s3?.server.closeAllConnections();
      }, FINISH_WITHIN);
      await Promise.all([stopSweeping?.(), s3?.close(), app.close()]).finally(() => clearTimeout(cut));
      await core.close();
    },
  };
}

function addressOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  const name = address === '::' || address === '0.0.0.0' ? 'localhost' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${name}:${port}`;
}
