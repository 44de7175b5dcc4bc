import { Command } from 'commander';
import { createBlobService } from '../service/index.js';
import type { BlobService } from '../service/index.js';
import { addDataFlags, describeDataLocation, readDataOptions } from './data.js';
import type { DataFlags } from './data.js';
import { publishSetupLink } from './setup-link.js';
import {
  readActivityRetention,
  readConnectionLimits,
  readDrainSeconds,
  readFetch,
  readHost,
  readImageCache,
  readImages,
  readOutboundAllow,
  readPort,
  readPublicUrl,
  readQuota,
  readRateLimits,
  readScan,
  readScanUnavailable,
  readThumbnails,
  readTrustedProxies,
} from './serve-settings.js';

interface ServeFlags extends DataFlags {
  host?: string;
  port?: string;
  s3Port?: string;
  publicUrl?: string;
  deliveryUrl?: string;
  s3PublicUrl?: string;
  trustedProxy?: string[];
  rateLimits?: string;
  quota?: string;
  connectionLimits?: string;
  images?: string;
  imageCache?: string;
  thumbnails?: string;
  activityRetention?: string;
  drain?: string;
  outboundAllow?: string[];
  fetch?: boolean;
  scan?: string;
  scanUnavailable?: string;
  quiet?: boolean;
}

/** Milliseconds from the close of the service to the end of the process, if connections are still open. */
const EXIT_TIMEOUT_MS = 1000;

export function serveCommand(): Command {
  const command = new Command()
    .description('Run the service until SIGINT or SIGTERM')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1, env: HOST)')
    .option('--port <number>', 'port of the REST API and of file delivery; 0 chooses a free port (default: 8080, env: PORT)')
    .option('--s3-port <number>', 'port of the S3 endpoint; 0 chooses a free port (default: 9000, env: S3_PORT)');
  return addDataFlags(command)
    .option(
      '--public-url <url>',
      'public address in responses, such as https://files.example.org; required if clients use a domain name (env: PUBLIC_URL)',
    )
    .option(
      '--delivery-url <url>',
      'another origin for stored files, which serves nothing else; needs --public-url (env: DELIVERY_URL)',
    )
    .option('--s3-public-url <url>', 'public address of the S3 endpoint, which the console shows (env: S3_PUBLIC_URL)')
    .option(
      '--trusted-proxy <address...>',
      'proxies whose X-Forwarded headers are trusted; may be comma-separated (env: TRUSTED_PROXIES)',
    )
    .option(
      '--rate-limits <limits>',
      'limits of requests: off, or route=3000,minute=6000,day=1000000,s3=210000 (env: RATE_LIMITS)',
    )
    .option('--quota <size>', 'storage quota, such as 500GB, or off (env: STORAGE_QUOTA)')
    .option('--connection-limits <limits>', 'limits of open connections: off, or total=4000,network=400 (env: CONNECTION_LIMITS)')
    .option('--images <on|off>', 'resize images; on requires sharp (default: on if sharp is installed, env: IMAGES)')
    .option(
      '--thumbnails <programs>',
      'make pictures of videos and PDFs: ffmpeg,pdftoppm, or their paths (default: none, env: THUMBNAILS)',
    )
    .option('--image-cache <size>', 'bytes of stored resized images (default: 1GiB, env: IMAGE_CACHE)')
    .option(
      '--activity-retention <days>',
      'days for which the activity log is kept, 1 to 36500 (default: 400, env: ACTIVITY_RETENTION)',
    )
    .option(
      '--outbound-allow <range...>',
      'private addresses and ranges that webhooks and --fetch may reach, such as 10.0.0.0/8; may be comma-separated (env: OUTBOUND_ALLOW)',
    )
    .option('--fetch', 'let clients fetch files from public URLs (env: FETCH=on)')
    .option('--scan <address>', 'virus scanner for new files: clamd://host:port, or clamd:///path of a Unix socket (env: SCAN)')
    .option(
      '--scan-unavailable <block|allow>',
      'whether files that wait for their scan are delivered while the scanner does not respond (default: block, env: SCAN_UNAVAILABLE)',
    )
    .option(
      '--drain <seconds>',
      'time from SIGTERM, when /readyz begins to fail, until the ports close, 0 to 600 (default: 5, env: DRAIN_SECONDS)',
    )
    .option('--quiet', 'do not log requests')
    .action(serve);
}

async function serve(flags: ServeFlags): Promise<void> {
  const publicUrl = readPublicUrl(flags.publicUrl);
  const deliveryUrl = readPublicUrl(flags.deliveryUrl, '--delivery-url', 'DELIVERY_URL');
  const s3PublicUrl = readPublicUrl(flags.s3PublicUrl, '--s3-public-url', 'S3_PUBLIC_URL');
  const rateLimits = readRateLimits(flags.rateLimits);
  const quotaBytes = readQuota(flags.quota);
  const connectionLimits = readConnectionLimits(flags.connectionLimits);
  const images = readImages(flags.images);
  const imageCacheBytes = readImageCache(flags.imageCache);
  const activityRetention = readActivityRetention(flags.activityRetention);
  const scan = readScan(flags.scan);
  const scanUnavailable = readScanUnavailable(flags.scanUnavailable);
  const drainSeconds = readDrainSeconds(flags.drain);
  const dataOptions = readDataOptions(flags);
  const service = await createBlobService({
    ...dataOptions,
    host: readHost(flags.host),
    port: readPort({ flagName: '--port', flag: flags.port, variableName: 'PORT', fallback: 8080 }),
    s3Port: readPort({ flagName: '--s3-port', flag: flags.s3Port, variableName: 'S3_PORT', fallback: 9000 }),
    ...(publicUrl !== undefined && { publicUrl }),
    ...(deliveryUrl !== undefined && { deliveryUrl }),
    ...(s3PublicUrl !== undefined && { s3PublicUrl }),
    ...(rateLimits !== undefined && { rateLimits }),
    ...(quotaBytes !== undefined && { quotaBytes }),
    ...(connectionLimits !== undefined && { connectionLimits }),
    ...(images !== undefined && { images }),
    thumbnails: readThumbnails(flags.thumbnails),
    ...(imageCacheBytes !== undefined && { imageCacheBytes }),
    ...(activityRetention !== undefined && { activityRetention }),
    ...(scan !== undefined && { scan }),
    ...(scanUnavailable !== undefined && { scanUnavailable }),
    trustedProxies: readTrustedProxies(flags.trustedProxy),
    outboundAllow: readOutboundAllow(flags.outboundAllow),
    fetch: readFetch(flags.fetch),
    logger: !flags.quiet,
  });
  let closed: Promise<void>;
  try {
    const { url, s3Url } = await service.listen();
    closed = closeOnSignal(service, drainSeconds);
    // Programs that wait for the next line may read the file of the link.
    const printSetupLink = await publishSetupLink(service.core, { baseUrl: publicUrl ?? url, dataDir: dataOptions.dataDir });
    console.error(
      `Blob Storage listens on ${url}${s3Url === null ? '' : `, S3 on ${s3Url}`}; data: ${describeDataLocation(flags)}`,
    );
    printSetupLink();
  } catch (cause) {
    await service.close();
    throw cause;
  }
  await closed;
  // Connections to a host that does not respond would keep the process alive.
  setTimeout(() => process.exit(), EXIT_TIMEOUT_MS).unref();
}

/**
 * Closes the service on SIGTERM or SIGINT. After SIGTERM from a service manager, load balancers get time to notice. After Ctrl+C,
 * the service closes at once. A second signal ends the drain time, and a third signal ends the process.
 * @returns a promise that resolves when the service is closed
 */
function closeOnSignal(service: BlobService, drainSeconds: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let signals = 0;
    const stop = (signal: NodeJS.Signals) => {
      signals++;
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
