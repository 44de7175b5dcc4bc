import { BlockList, isIP } from 'node:net';
import { S3Error } from '../../errors.js';
import type { Origin } from '../../http/http-client.js';

/** Which proxy requests to a server go through; undefined: none. */
export type ProxyChoice = (origin: Origin) => URL | undefined;

/**
 * `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, in either case, as curl and Go read them: `NO_PROXY` lists names (with
 * all below them), addresses, ranges (`10.0.0.0/8`), each with or without a port, or `*`. This machine itself needs no proxy.
 * @throws S3Error `ProxyFailed` from the choice, when the address of the proxy that it falls on is none.
 */
export function proxyFromEnvironment(environment: Readonly<Record<string, string | undefined>>): ProxyChoice {
  const variable = (name: string): string | undefined => environment[name.toLowerCase()] || environment[name] || undefined;
  const [secure, plain] = ['HTTPS_PROXY', 'HTTP_PROXY'].map((name) => variable(name) ?? variable('ALL_PROXY'));
  const spared = (variable('NO_PROXY') ?? '').split(/[\s,]+/).filter(Boolean);
  return (origin) => {
    const proxy = origin.secure ? secure : plain;
    if (proxy === undefined || isLocal(origin.hostname) || spared.some((rule) => matches(rule, origin))) return undefined;
    return proxyUrl(proxy);
  };
}

/** An address may hold a password: no message repeats it. */
function proxyUrl(text: string): URL {
  const address = /^[a-z0-9]+:\/\//i.test(text) ? text : `http://${text}`;
  if (!URL.canParse(address)) throw new S3Error('ProxyFailed', 'The address of the proxy is none.');
  const url = new URL(address);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new S3Error('ProxyFailed', `A proxy is reached by http or https, not by ${url.protocol}`);
  return url;
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

const isLocal = (hostname: string): boolean =>
  hostname === 'localhost' || hostname.endsWith('.localhost') || isWithin(LOOPBACK, hostname);

function isWithin(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

function matches(rule: string, origin: Origin): boolean {
  if (rule === '*') return true;
  const range = /^([0-9a-f.:]+)\/(\d{1,3})$/i.exec(rule);
  const family = range === null ? 0 : isIP(range[1]!);
  if (range && family !== 0) {
    // A range that is none matches nothing.
    if (Number(range[2]) > (family === 4 ? 32 : 128)) return false;
    const list = new BlockList();
    list.addSubnet(range[1]!, Number(range[2]), family === 4 ? 'ipv4' : 'ipv6');
    return isWithin(list, origin.hostname);
  }
  const parts = /^\[?(.+?)\]?(?::(\d+))?$/.exec(isIP(rule) === 6 ? `[${rule}]` : rule)!;
  if (parts[2] !== undefined && Number(parts[2]) !== origin.port) return false;
  const name = parts[1]!.toLowerCase().replace(/^\*?\./, '');
  const host = origin.hostname.toLowerCase();
  return host === name || host.endsWith(`.${name}`);
}

/** The value of `Proxy-Authorization` for a proxy whose address names a user. */
export function proxyAuthorization(proxy: URL): string | undefined {
  if (proxy.username === '') return undefined;
  // As bytes: what a name is encoded in is between its owner and the proxy.
  return `Basic ${Buffer.from(unescaped(`${proxy.username}:${proxy.password}`), 'latin1').toString('base64')}`;
}

/** A `%` that begins no escape stands for itself, as for curl and Go. */
const unescaped = (text: string): string =>
  text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
