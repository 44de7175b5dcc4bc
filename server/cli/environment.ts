import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
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
  if (databaseUrl !== undefined && !/^postgres(ql)?:\/\//.test(databaseUrl))
    throw new UsageError('the database (--database-url, DATABASE_URL) must be an address that begins with postgres://');
  return {
    dataDir: flags.dataDir ?? variable('DATA_DIR') ?? './data',
    ...(databaseUrl !== undefined && { databaseUrl }),
    ...(store !== undefined && { store }),
  };
}

/** For people: where the data lies, without a password. */
export function dataPlace(flags: DataFlags): string {
  const { databaseUrl, dataDir = './data' } = dataOptions(flags);
  return databaseUrl === undefined ? resolve(dataDir) : `the database at ${new URL(databaseUrl).host}`;
}

/**
 * For commands on the data itself.
 * @param make whether data that is not there is begun; otherwise a directory without any is a mistyped one
 * @throws with the one line that installs what is missing.
 */
export async function openData(flags: DataFlags, { make = false } = {}): Promise<Core> {
  const { openCore } = await optional('service', () => import('../service/storage.js'));
  const options = dataOptions(flags);
  const { databaseUrl, dataDir = './data' } = options;
  if (!make && databaseUrl === undefined && !existsSync(join(dataDir, 'metadata.db')))
    throw new UsageError(`there is no data in ${resolve(dataDir)}: name its folder with --data-dir or DATA_DIR`);
  return openCore(options);
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

/** `PUBLIC_URL`. @throws UsageError. */
export function publicUrlOption(flag: string | undefined): string | undefined {
  const url = flag ?? variable('PUBLIC_URL');
  if (url !== undefined && !/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : ''))
    throw new UsageError(`the public address (--public-url, PUBLIC_URL) must read https://…, not "${url}"`);
  return url;
}

/** `TRUSTED_PROXIES`. @throws UsageError. */
export function trustedProxiesOption(flag: string[] | undefined): string[] {
  const all = (flag ?? [variable('TRUSTED_PROXIES') ?? '']).flatMap((list) => list.split(',')).map((one) => one.trim());
  const proxies = all.filter(Boolean);
  for (const one of proxies)
    if (!isAddressOrRange(one))
      throw new UsageError(`a trusted proxy must be an IP address or a range such as 10.0.0.0/8, not "${one}"`);
  return proxies;
}

function isAddressOrRange(text: string): boolean {
  const [address = '', bits] = text.split('/');
  const most = isIP(address) === 4 ? 32 : 128;
  return isIP(address) !== 0 && (bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= most));
}

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
