import { parseSize } from '../../src/protocol/sizes.js';
import { parseRateLimits } from '../service/limits/limits.js';
import type { RateLimits } from '../service/limits/limits.js';
import { optional } from '../service/optional.js';
import type { Core, CoreOptions } from '../service/storage.js';
import { UsageError } from './report.js';

/** The only place where the environment is read; flags come first. */
const variable = (name: string): string | undefined => process.env[name] || undefined;

export interface DataFlags {
  dataDir?: string;
  databaseUrl?: string;
  store?: string;
}

/** Where the data lies: `DATA_DIR`, `DATABASE_URL`, `BLOB_STORE`. */
export function dataOptions(flags: DataFlags): CoreOptions {
  const databaseUrl = flags.databaseUrl ?? variable('DATABASE_URL');
  const store = flags.store ?? variable('BLOB_STORE');
  return {
    dataDir: flags.dataDir ?? variable('DATA_DIR') ?? './data',
    ...(databaseUrl !== undefined && { databaseUrl }),
    ...(store !== undefined && { store }),
  };
}

/** For commands on the data itself. @throws with the one line that installs what is missing. */
export async function openData(flags: DataFlags): Promise<Core> {
  const { openCore } = await optional('service', () => import('../service/storage.js'));
  return openCore(dataOptions(flags));
}

/** A port from a flag or a variable. @throws UsageError. */
export function portOption(flag: string | undefined, name: string, fallback: number): number {
  const text = flag ?? variable(name);
  if (text === undefined) return fallback;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new UsageError(`${flag === undefined ? name : 'the port'} must be a number from 0 to 65535, not "${text}"`);
  return port;
}

export const hostOption = (flag: string | undefined): string => flag ?? variable('HOST') ?? '127.0.0.1';
export const publicUrlOption = (flag: string | undefined): string | undefined => flag ?? variable('PUBLIC_URL');
export const trustedProxiesOption = (flag: string[] | undefined): string[] =>
  flag ??
  variable('TRUSTED_PROXIES')
    ?.split(',')
    .map((one) => one.trim())
    .filter(Boolean) ??
  [];

/** `RATE_LIMITS`. @throws UsageError. */
export function rateLimitsOption(flag: string | undefined): RateLimits | undefined {
  const text = flag ?? variable('RATE_LIMITS');
  try {
    return text === undefined ? undefined : parseRateLimits(text);
  } catch (cause) {
    throw new UsageError((cause as Error).message);
  }
}

/** `STORAGE_QUOTA`: a size, or `off`. @throws UsageError. */
export function quotaOption(flag: string | undefined): number | null | undefined {
  const text = flag ?? variable('STORAGE_QUOTA');
  if (text === undefined || text === 'off') return text === 'off' ? null : undefined;
  const bytes = parseSize(text);
  if (bytes === undefined) throw new UsageError(`the quota must be a size such as 500GB, or off, not "${text}"`);
  return bytes;
}

/** Address and key of the API: `SVC_BLOB_URL`, `SVC_API_KEY`. @throws UsageError. */
export function apiOptions(flags: { url?: string; apiKey?: string }): { url: string; apiKey: string } {
  const url = flags.url ?? variable('SVC_BLOB_URL');
  const apiKey = flags.apiKey ?? variable('SVC_API_KEY');
  if (url === undefined) throw new UsageError('name the service with --url or SVC_BLOB_URL, such as http://localhost:8080');
  if (apiKey === undefined) throw new UsageError('give an API key with --api-key or SVC_API_KEY');
  return { url: url.replace(/\/+$/, ''), apiKey };
}
