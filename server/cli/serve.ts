import { Command } from 'commander';
import { createBlobService } from '../service/index.js';
import {
  dataOptions,
  dataPlace,
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
  quiet?: boolean;
}

export function serveCommand(): Command {
  return new Command()
    .description('Run Blob Storage until it is told to stop (SIGINT, SIGTERM).')
    .option('--host <address>', 'address to listen on [HOST, 127.0.0.1]')
    .option('--port <number>', 'REST and delivery; 0 takes a free one [PORT, 8080]')
    .option('--s3-port <number>', 'the S3 endpoint; 0 takes a free one [S3_PORT, 9000]')
    .option('--data-dir <folder>', 'where SQLite and the files lie [DATA_DIR, ./data]')
    .option('--database-url <url>', 'postgres://… instead of SQLite [DATABASE_URL]')
    .option('--store <url>', 's3://bucket?endpoint=… instead of files [BLOB_STORE]')
    .option('--public-url <url>', 'address that answers name, where it differs from what clients call [PUBLIC_URL]')
    .option('--trusted-proxy <address...>', 'proxies whose X-Forwarded headers are believed [TRUSTED_PROXIES, comma-separated]')
    .option('--rate-limits <limits>', 'off, or route=3000,minute=6000,day=1000000,s3=210000: requests [RATE_LIMITS]')
    .option('--quota <size>', 'what may be stored, such as 500GB; off: no limit [STORAGE_QUOTA]')
    .option('--quiet', 'no log of requests')
    .action(serve);
}

async function serve(flags: Flags): Promise<void> {
  const publicUrl = publicUrlOption(flags.publicUrl);
  const rateLimits = rateLimitsOption(flags.rateLimits);
  const quotaBytes = quotaOption(flags.quota);
  const service = await createBlobService({
    ...dataOptions(flags),
    host: hostOption(flags.host),
    port: portOption(flags.port, 'PORT', 8080),
    s3Port: portOption(flags.s3Port, 'S3_PORT', 9000),
    ...(publicUrl !== undefined && { publicUrl }),
    ...(rateLimits !== undefined && { rateLimits }),
    ...(quotaBytes !== undefined && { quotaBytes }),
    trustedProxies: trustedProxiesOption(flags.trustedProxy),
    logger: !flags.quiet,
  });
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= service.close());
  try {
    const { url, s3Url } = await service.listen();
    console.error(`Blob Storage listens on ${url}${s3Url === null ? '' : `, S3 on ${s3Url}`}; its data: ${dataPlace(flags)}`);
  } catch (cause) {
    await stop();
    throw cause;
  }
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop().finally(resolve));
  });
}
