import { BlockList, isIP } from 'node:net';
import { S3Error } from '../../errors.js';
import type { Origin } from '../../http/http-client.js';

/** Chooses the proxy of requests to a server. Undefined means none. */
export type ProxyChoice = (origin: Origin) => URL | undefined;

/**
 * Reads `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, in upper or lower case, as curl and Go do. `NO_PROXY` lists names
 * (including their subdomains), addresses and ranges (`10.0.0.0/8`), each with an optional port, or `*`. Loopback addresses use no proxy.
 * @throws S3Error `ProxyFailed` when the choice is made, if the address of the proxy is invalid
 */
export function proxyFromEnvironment(environment: Readonly<Record<string, string | undefined>>): ProxyChoice {
  const variable = (name: string): string | undefined => environment[name.toLowerCase()] || environment[name] || undefined;
  const [secure, plain] = ['HTTPS_PROXY', 'HTTP_PROXY'].map((name) => variable(name) ?? variable('ALL_PROXY'));
  const excluded = (variable('NO_PROXY') ?? '').split(/[\s,]+/).filter(Boolean);
  return (origin) => {
    const proxy = origin.secure ? secure : plain;
    if (proxy === undefined || isLocal(origin.hostname) || excluded.some((rule) => matches(rule, origin))) return undefined;
    return proxyUrl(proxy);
  };
}

/** The address may contain a password, so messages do not repeat it. */
function proxyUrl(text: string): URL {
  const address = /^[a-z0-9]+:\/\//i.test(text) ? text : `http://${text}`;
  if (!URL.canParse(address)) throw new S3Error('ProxyFailed', 'The address of the proxy is not a URL.');
  const url = new URL(address);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new S3Error('ProxyFailed', `The address of the proxy must begin with http:// or https://, not ${url.protocol}`);
  return url;
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

const isLocal = (hostname: string): boolean =>
  hostname === 'localhost' || hostname.endsWith('.localhost') || isInBlockList(LOOPBACK, hostname);

function isInBlockList(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

function matches(rule: string, origin: Origin): boolean {
  if (rule === '*') return true;
  const range = /^([0-9a-f.:]+)\/(\d{1,3})$/i.exec(rule);
  const family = range === null ? 0 : isIP(range[1]!);
  if (range && family !== 0) {
    // An invalid range matches nothing.
    if (Number(range[2]) > (family === 4 ? 32 : 128)) return false;
    const list = new BlockList();
    list.addSubnet(range[1]!, Number(range[2]), family === 4 ? 'ipv4' : 'ipv6');
    return isInBlockList(list, origin.hostname);
  }
  const parts = /^\[?(.+?)\]?(?::(\d+))?$/.exec(isIP(rule) === 6 ? `[${rule}]` : rule)!;
  if (parts[2] !== undefined && Number(parts[2]) !== origin.port) return false;
  const name = parts[1]!.toLowerCase().replace(/^\*?\./, '');
  const host = origin.hostname.toLowerCase();
  return host === name || host.endsWith(`.${name}`);
}

/** Returns the `Proxy-Authorization` header if the address of the proxy contains a user. */
export function proxyAuthorization(proxy: URL): string | undefined {
  if (proxy.username === '') return undefined;
  // The encoding of the name is unknown, so its bytes are sent unchanged.
  return `Basic ${Buffer.from(unescaped(`${proxy.username}:${proxy.password}`), 'latin1').toString('base64')}`;
}

/** Decodes percent escapes. Other percent signs stand for themselves, as in curl and Go. */
const unescaped = (text: string): string =>
  text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
