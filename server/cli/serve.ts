import { Command } from 'commander';
import { createBlobService } from '../service/index.js';
import type { BlobService } from '../service/index.js';
import {
  dataOptions,
  connectionLimitsOption,
  dataLocation,
  drainSecondsOption,
  hostOption,
  portOption,
  publicUrlOption,
  quotaOption,
  rateLimitsOption,
  trustedProxiesOption,
} from './environment.js';
import type { DataFlags } from './environment.js';

interface Flags extends DataFlags {
  host?: string;
  port?: string;
  s3Port?: string;
  publicUrl?: string;
  trustedProxy?: string[];
  rateLimits?: string;
  quota?: string;
  connectionLimits?: string;
  drain?: string;
  quiet?: boolean;
}

/** The process ends at most this long after the service has closed. Milliseconds. */
const EXIT_TIMEOUT_MS = 1000;

export function serveCommand(): Command {
  return new Command()
    .description('Run the service until SIGINT or SIGTERM.')
    .option('--host <address>', 'address to listen on [HOST, 127.0.0.1]')
    .option('--port <number>', 'port of REST and delivery; 0 chooses a free port [PORT, 8080]')
    .option('--s3-port <number>', 'port of the S3 endpoint; 0 chooses a free port [S3_PORT, 9000]')
    .option('--data-dir <folder>', 'folder of the SQLite database and the files [DATA_DIR, ./data]')
    .option('--database-url <url>', 'postgres://… instead of SQLite [DATABASE_URL]')
    .option('--database-url-file <file>', 'file with that address; - reads standard input [DATABASE_URL_FILE]')
    .option('--store <url>', 's3://bucket?endpoint=… instead of files [BLOB_STORE]')
    .option(
      '--public-url <url>',
      'public address in responses, such as https://files.example.org; required if clients use a domain name [PUBLIC_URL]',
    )
    .option('--trusted-proxy <address...>', 'proxies whose X-Forwarded headers are trusted [TRUSTED_PROXIES, comma-separated]')
    .option('--rate-limits <limits>', 'limits of requests: off, or route=3000,minute=6000,day=1000000,s3=210000 [RATE_LIMITS]')
    .option('--quota <size>', 'storage quota, such as 500GB, or off [STORAGE_QUOTA]')
    .option('--connection-limits <limits>', 'limits of open connections: off, or total=4000,network=400 [CONNECTION_LIMITS]')
    .option(
      '--drain <seconds>',
      'time between SIGTERM, when /readyz begins to fail, and the close of the ports [DRAIN_SECONDS, 5]',
    )
    .option('--quiet', 'do not log requests')
    .action(serve);
}

async function serve(flags: Flags): Promise<void> {
  const publicUrl = publicUrlOption(flags.publicUrl);
  const rateLimits = rateLimitsOption(flags.rateLimits);
  const quotaBytes = quotaOption(flags.quota);
  const connectionLimits = connectionLimitsOption(flags.connectionLimits);
  const drainSeconds = drainSecondsOption(flags.drain);
  const service = await createBlobService({
    ...dataOptions(flags),
    host: hostOption(flags.host),
    port: portOption(flags.port, 'PORT', 8080),
    s3Port: portOption(flags.s3Port, 'S3_PORT', 9000),
    ...(publicUrl !== undefined && { publicUrl }),
    ...(rateLimits !== undefined && { rateLimits }),
    ...(quotaBytes !== undefined && { quotaBytes }),
    ...(connectionLimits !== undefined && { connectionLimits }),
    trustedProxies: trustedProxiesOption(flags.trustedProxy),
    logger: !flags.quiet,
  });
  let closed: Promise<void>;
  try {
    const { url, s3Url } = await service.listen();
    closed = closeOnSignal(service, drainSeconds);
    console.error(`Blob Storage listens on ${url}${s3Url === null ? '' : `, S3 on ${s3Url}`}; data: ${dataLocation(flags)}`);
  } catch (cause) {
    await service.close();
    throw cause;
  }
  await closed;
  // Connections to a host that does not answer would keep the process alive.
  setTimeout(() => process.exit(), EXIT_TIMEOUT_MS).unref();
}

/**
 * Closes the service on SIGTERM or SIGINT. SIGTERM comes from a service manager, so load balancers get time to notice; a person
 * who presses Ctrl+C does not wait. A second signal ends the drain time, a third one the process.
 * @returns a promise that resolves when the service is closed
 */
function closeOnSignal(service: BlobService, drainSeconds: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let signals = 0;
    const stop = (signal: NodeJS.Signals) => {
      signals += 1;
      const drain = signals === 1 && signal === 'SIGTERM' ? { drainSeconds } : {};
      service.close(drain).then(resolve, reject);
      if (signals < 2) return;
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
}
