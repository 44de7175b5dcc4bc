import { parseSize } from '../../src/protocol/sizes.js';
import type { ConnectionLimits } from '../service/http/connections.js';
import { isAddressRange } from '../service/runtime/ip-addresses.js';
import { parseRateLimits } from '../service/identity/limits/limits.js';
import type { RateLimits } from '../service/identity/limits/limits.js';
import { parseFrameCommands } from '../service/images/frames/frame-programs.js';
import { parseScannerAddress } from '../service/scanning/scanner-address.js';
import { environmentVariable } from './environment.js';
import { UsageError } from './errors.js';

interface PortSetting {
  flagName: string;
  flag: string | undefined;
  variableName: string;
  fallback: number;
}

/** Reads a port from a flag or a variable. @throws UsageError */
export function readPort({ flagName, flag, variableName, fallback }: PortSetting): number {
  const text = flag ?? environmentVariable(variableName);
  if (text === undefined) return fallback;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new UsageError(`${flag === undefined ? variableName : flagName} must be a number from 0 to 65535; got "${text}"`);
  return port;
}

export const readHost = (flag: string | undefined): string => flag ?? environmentVariable('HOST') ?? '127.0.0.1';

/** Reads `--public-url` or `PUBLIC_URL`, or another address of the service. @throws UsageError */
export function readPublicUrl(
  flag: string | undefined,
  flagName = '--public-url',
  variableName = 'PUBLIC_URL',
): string | undefined {
  const url = flag ?? environmentVariable(variableName);
  if (url !== undefined && !/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : ''))
    throw new UsageError(`${flagName} (${variableName}) must begin with https:// or http://; got "${url}"`);
  return url;
}

/** Reads `--trusted-proxy` or `TRUSTED_PROXIES`. @throws UsageError */
export const readTrustedProxies = (flag: string[] | undefined): string[] =>
  readRanges(flag, '--trusted-proxy', 'TRUSTED_PROXIES');

/** Reads `--outbound-allow` or `OUTBOUND_ALLOW`. @throws UsageError */
export const readOutboundAllow = (flag: string[] | undefined): string[] => readRanges(flag, '--outbound-allow', 'OUTBOUND_ALLOW');

function readRanges(flag: string[] | undefined, flagName: string, variableName: string): string[] {
  const ranges = (flag ?? [environmentVariable(variableName) ?? ''])
    .flatMap((list) => list.split(','))
    .map((range) => range.trim())
    .filter(Boolean);
  for (const range of ranges)
    if (!isAddressRange(range))
      throw new UsageError(`${flagName} (${variableName}) must be an IP address or a range such as 10.0.0.0/8; got "${range}"`);
  return ranges;
}

/** Reads `--rate-limits` or `RATE_LIMITS`. @throws UsageError */
export function readRateLimits(flag: string | undefined): RateLimits | undefined {
  const text = flag ?? environmentVariable('RATE_LIMITS');
  try {
    return text === undefined ? undefined : parseRateLimits(text);
  } catch (cause) {
    throw new UsageError((cause as Error).message);
  }
}

/** Reads `--connection-limits` or `CONNECTION_LIMITS`: `off`, or one or both of `total=4000,network=400`. @throws UsageError */
export function readConnectionLimits(flag: string | undefined): ConnectionLimits | undefined {
  const text = flag ?? environmentVariable('CONNECTION_LIMITS');
  if (text === undefined) return undefined;
  if (text === 'off') return { total: null, perNetwork: null };
  const limits: ConnectionLimits = {};
  for (const part of text.split(',')) {
    const [, name, value] = /^(total|network)=(\d{1,9}|off)$/.exec(part.trim()) ?? [];
    const limit = value === 'off' ? null : Number(value);
    if (name === undefined || limit === 0)
      throw new UsageError(
        `--connection-limits (CONNECTION_LIMITS) must be off or a list such as total=4000,network=400; got "${text}"`,
      );
    limits[name === 'total' ? 'total' : 'perNetwork'] = limit;
  }
  return limits;
}

/** Reads `--drain` or `DRAIN_SECONDS`, in seconds. @throws UsageError */
export function readDrainSeconds(flag: string | undefined): number {
  const text = flag ?? environmentVariable('DRAIN_SECONDS') ?? '5';
  const seconds = Number(text);
  if (!/^\d+$/.test(text) || seconds > 600)
    throw new UsageError(`--drain (DRAIN_SECONDS) must be a whole number from 0 to 600 seconds; got "${text}"`);
  return seconds;
}

/** Reads `--activity-retention` or `ACTIVITY_RETENTION`, in days. @throws UsageError */
export function readActivityRetention(flag: string | undefined): number | undefined {
  const text = flag ?? environmentVariable('ACTIVITY_RETENTION');
  if (text === undefined) return undefined;
  const days = Number(text);
  if (!/^\d+$/.test(text) || days < 1 || days > 36_500)
    throw new UsageError(`--activity-retention (ACTIVITY_RETENTION) must be a whole number from 1 to 36500 days; got "${text}"`);
  return days;
}

/**
 * Reads `--quota` or `STORAGE_QUOTA`.
 * @returns bytes, null for `off`, or undefined if neither is set
 * @throws UsageError
 */
export function readQuota(flag: string | undefined): number | null | undefined {
  const text = flag ?? environmentVariable('STORAGE_QUOTA');
  if (text === undefined) return undefined;
  if (text === 'off') return null;
  const bytes = parseSize(text);
  if (bytes === undefined) throw new UsageError(`--quota (STORAGE_QUOTA) must be off or a size such as 500GB; got "${text}"`);
  return bytes;
}

/** Reads `--images` or `IMAGES`: `on`, `off`, or undefined if neither is set. @throws UsageError */
export const readImages = (flag: string | undefined): boolean | undefined =>
  readSwitch(flag ?? environmentVariable('IMAGES'), '--images (IMAGES)');

/** Reads `--fetch` or `FETCH`. @throws UsageError */
export const readFetch = (flag: boolean | undefined): boolean =>
  flag ?? readSwitch(environmentVariable('FETCH'), 'FETCH') ?? false;

/** Reads `--scan` or `SCAN`. @throws UsageError */
export function readScan(flag: string | undefined): string | undefined {
  const address = flag ?? environmentVariable('SCAN');
  if (address !== undefined && !parseScannerAddress(address))
    throw new UsageError(`--scan (SCAN) must be clamd://host:port or clamd:///path/of/socket; got "${address}"`);
  return address;
}

/** Reads `--scan-unavailable` or `SCAN_UNAVAILABLE`. @throws UsageError */
export function readScanUnavailable(flag: string | undefined): 'block' | 'allow' | undefined {
  const choice = flag ?? environmentVariable('SCAN_UNAVAILABLE');
  if (choice !== undefined && choice !== 'block' && choice !== 'allow')
    throw new UsageError(`--scan-unavailable (SCAN_UNAVAILABLE) must be block or allow; got "${choice}"`);
  return choice;
}

function readSwitch(text: string | undefined, name: string): boolean | undefined {
  if (text === undefined) return undefined;
  if (text !== 'on' && text !== 'off') throw new UsageError(`${name} must be on or off; got "${text}"`);
  return text === 'on';
}

/** Reads `--thumbnails` or `THUMBNAILS`: names or absolute paths, separated by commas. @throws UsageError */
export function readThumbnails(flag: string | undefined): string[] {
  const text = flag ?? environmentVariable('THUMBNAILS') ?? '';
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
  try {
    parseFrameCommands(items);
  } catch (cause) {
    throw new UsageError(`--thumbnails (THUMBNAILS): ${(cause as Error).message}`);
  }
  return items;
}

/** Reads `--image-cache` or `IMAGE_CACHE`, in bytes. @throws UsageError */
export function readImageCache(flag: string | undefined): number | undefined {
  const text = flag ?? environmentVariable('IMAGE_CACHE');
  if (text === undefined) return undefined;
  const bytes = parseSize(text);
  if (bytes === undefined) throw new UsageError(`--image-cache (IMAGE_CACHE) must be a size such as 2GiB; got "${text}"`);
  return bytes;
}
