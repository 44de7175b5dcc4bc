import { connect as connectPlain, isIP } from 'node:net';
import type { Socket } from 'node:net';
import type { ConnectionOptions, SecureContext, TLSSocket } from 'node:tls';

/** Returns the host to connect to and the name that its certificate must have. RFC 6066 forbids IP addresses in SNI. */
export const tlsOptionsFor = (host: string): ConnectionOptions => ({ host, servername: isIP(host) === 0 ? host : '' });

/** Contexts are cached, because reading the certificates takes milliseconds. */
const contexts = new WeakMap<ConnectionOptions, SecureContext>();

/** @param common the options that all connections of the client share; they are part of `options` as well */
export function connectTls(common: ConnectionOptions, options: object): TLSSocket {
  // Loaded on first use: it costs as much CPU as a hundred small files.
  const tls = process.getBuiltinModule('node:tls');
  let secureContext = common.secureContext ?? contexts.get(common);
  if (secureContext === undefined) contexts.set(common, (secureContext = tls.createSecureContext(common)));
  return tls.connect({ ...options, secureContext });
}

/** Opens a connection to a proxy. @param options further options of the socket */
export function connectToProxy(proxy: URL, tls: ConnectionOptions, options: object): Socket {
  const isSecure = proxy.protocol === 'https:';
  const defaultPort = isSecure ? 443 : 80;
  const host = proxy.hostname.replace(/^\[|\]$/g, '');
  const target = { host, port: proxy.port === '' ? defaultPort : Number(proxy.port), noDelay: true, ...options };
  return isSecure ? connectTls(tls, { ...tlsOptionsFor(host), ...tls, ...target }) : connectPlain(target);
}
