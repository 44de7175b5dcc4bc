import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { parseSize } from '../../src/protocol/sizes.js';
import { trimEndCharacters } from '../../src/protocol/trim.js';
import type { ConnectionLimits } from '../service/http/connections.js';
import { parseRateLimits } from '../service/identity/limits/limits.js';
import type { RateLimits } from '../service/identity/limits/limits.js';
import { loadOptional } from '../service/runtime/load-optional.js';
import type { Core, CoreOptions } from '../service/core.js';
import { UsageError } from './errors.js';
import { readSecret } from './secrets.js';

/** Reads a setting from the environment. Flags take precedence. */
const variable = (name: string): string | undefined => process.env[name] || undefined;

export interface DataFlags {
  dataDir?: string;
  databaseUrl?: string;
  databaseUrlFile?: string;
  store?: string;
}

/** Reads `DATA_DIR`, `DATABASE_URL` and `BLOB_STORE`. @throws UsageError */
export function dataOptions(flags: DataFlags): CoreOptions {
  const databaseUrl = readSecret({
    flagName: '--database-url',
    flag: flags.databaseUrl,
    file: flags.databaseUrlFile,
    variableName: 'DATABASE_URL',
    isSecret: (url) => URL.canParse(url) && new URL(url).password !== '',
  });
  const store = flags.store ?? variable('BLOB_STORE');
  if (databaseUrl !== undefined && !/^postgres(ql)?:\/\//.test(databaseUrl))
    throw new UsageError('the database (--database-url, DATABASE_URL) must be an address that begins with postgres://');
  return {
    dataDir: flags.dataDir ?? variable('DATA_DIR') ?? './data',
    ...(databaseUrl !== undefined && { databaseUrl }),
    ...(store !== undefined && { store }),
  };
}

/** Describes where the data is stored, without a password. */
export function dataLocation(flags: DataFlags): string {
  const { databaseUrl, dataDir = './data' } = dataOptions(flags);
  return databaseUrl === undefined ? resolve(dataDir) : `the database at ${new URL(databaseUrl).host}`;
}

/**
 * Opens the data for commands that work on it directly.
 * @param create creates the data if there is none; otherwise a folder without data is an error
 * @throws UsageError if the folder contains no data, Error with the install line if a package is missing
 */
export async function openData(flags: DataFlags, { create = false } = {}): Promise<Core> {
  const { openCore } = await loadOptional('service', () => import('../service/core.js'));
  const options = dataOptions(flags);
  const { databaseUrl, dataDir = './data' } = options;
  if (!create && databaseUrl === undefined && !existsSync(join(dataDir, 'metadata.db')))
    throw new UsageError(`${resolve(dataDir)} contains no data: set its folder with --data-dir or DATA_DIR`);
  return openCore(options);
}

/** Reads a port from a flag or a variable. @throws UsageError */
export function portOption(flag: string | undefined, name: string, fallback: number): number {
  const text = flag ?? variable(name);
  if (text === undefined) return fallback;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new UsageError(`${flag === undefined ? name : 'the port'} must be a number from 0 to 65535; got "${text}"`);
  return port;
}

export const hostOption = (flag: string | undefined): string => flag ?? variable('HOST') ?? '127.0.0.1';

/** Reads `PUBLIC_URL`. @throws UsageError */
export function publicUrlOption(flag: string | undefined): string | undefined {
  const url = flag ?? variable('PUBLIC_URL');
  if (url !== undefined && !/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : ''))
    throw new UsageError(`the public address (--public-url, PUBLIC_URL) must begin with https:// or http://; got "${url}"`);
  return url;
}

/** Reads `TRUSTED_PROXIES`. @throws UsageError */
export function trustedProxiesOption(flag: string[] | undefined): string[] {
  const proxies = (flag ?? [variable('TRUSTED_PROXIES') ?? ''])
    .flatMap((list) => list.split(','))
    .map((proxy) => proxy.trim())
    .filter(Boolean);
  for (const proxy of proxies)
    if (!isAddressOrRange(proxy))
      throw new UsageError(`a trusted proxy must be an IP address or a range such as 10.0.0.0/8; got "${proxy}"`);
  return proxies;
}

function isAddressOrRange(text: string): boolean {
  const [address = '', bits] = text.split('/');
  const maxBits = isIP(address) === 4 ? 32 : 128;
  return isIP(address) !== 0 && (bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= maxBits));
}

/** Reads `RATE_LIMITS`. @throws UsageError */
export function rateLimitsOption(flag: string | undefined): RateLimits | undefined {
  const text = flag ?? variable('RATE_LIMITS');
  try {
    return text === undefined ? undefined : parseRateLimits(text);
  } catch (cause) {
    throw new UsageError((cause as Error).message);
  }
}

/** Reads `CONNECTION_LIMITS`: `off`, or one or both of `total=4000,network=400`. @throws UsageError */
export function connectionLimitsOption(flag: string | undefined): ConnectionLimits | undefined {
  const text = flag ?? variable('CONNECTION_LIMITS');
  if (text === undefined) return undefined;
  if (text === 'off') return { total: null, perNetwork: null };
  const limits: ConnectionLimits = {};
  for (const part of text.split(',')) {
    const [, name, value] = /^(total|network)=(\d{1,9}|off)$/.exec(part.trim()) ?? [];
    const limit = value === 'off' ? null : Number(value);
    if (name === undefined || limit === 0)
      throw new UsageError(`the connection limits must be off or like total=4000,network=400; got "${text}"`);
    limits[name === 'total' ? 'total' : 'perNetwork'] = limit;
  }
  return limits;
}

/** Reads `DRAIN_SECONDS`. @throws UsageError */
export function drainSecondsOption(flag: string | undefined): number {
  const text = flag ?? variable('DRAIN_SECONDS') ?? '5';
  const seconds = Number(text);
  if (!/^\d+$/.test(text) || seconds > 600)
    throw new UsageError(`the drain time (--drain, DRAIN_SECONDS) must be a whole number from 0 to 600 seconds; got "${text}"`);
  return seconds;
}

/** Reads `STORAGE_QUOTA`, a size or `off`. @throws UsageError */
export function quotaOption(flag: string | undefined): number | null | undefined {
  const text = flag ?? variable('STORAGE_QUOTA');
  if (text === undefined || text === 'off') return text === 'off' ? null : undefined;
  const bytes = parseSize(text);
  if (bytes === undefined) throw new UsageError(`the quota must be off or a size such as 500GB; got "${text}"`);
  return bytes;
}

/** Reads the address and the key of the API: `SVC_BLOB_URL`, `SVC_API_KEY` or `SVC_API_KEY_FILE`. @throws UsageError */
export function apiOptions(flags: { url?: string; apiKey?: string; apiKeyFile?: string }): { url: string; apiKey: string } {
  const url = flags.url ?? variable('SVC_BLOB_URL');
  const apiKey = readSecret({
    flagName: '--api-key',
    flag: flags.apiKey,
    file: flags.apiKeyFile,
    variableName: 'SVC_API_KEY',
  });
  if (url === undefined)
    throw new UsageError('set the address of the service with --url or SVC_BLOB_URL, such as http://localhost:8080');
  if (apiKey === undefined) throw new UsageError('set an API key with SVC_API_KEY, --api-key-file or --api-key');
  return { url: trimEndCharacters(url, '/'), apiKey };
}
