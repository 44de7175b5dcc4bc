import { connect as connectPlain, isIP } from 'node:net';
import type { Socket } from 'node:net';
import type { ConnectionOptions, SecureContext, TLSSocket } from 'node:tls';
import { S3Error } from '../../errors.js';
import { abortError } from '../../abort.js';
import type { Origin } from '../../http/http-client.js';
import { proxyAuthorization } from './proxy.js';

const MAX_HEAD = 16 * 1024;

/** The name that the certificate must have. RFC 6066 forbids addresses in the server name extension. */
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

/** Opens a connection to a proxy. */
export function connectToProxy(proxy: URL, tls: ConnectionOptions, more: object): Socket {
  const secure = proxy.protocol === 'https:';
  const host = proxy.hostname.replace(/^\[|\]$/g, '');
  const target = { host, port: proxy.port === '' ? (secure ? 443 : 80) : Number(proxy.port), noDelay: true, ...more };
  return secure ? connectTls(tls, { ...tlsOptionsFor(host), ...tls, ...target }) : connectPlain(target);
}

/**
 * Opens a connection to a server through a proxy by the method `CONNECT`.
 * @see RFC 9110, section 9.3.6
 * @throws S3Error `ProxyFailed`, `ConnectionFailed`, `Aborted`
 */
export function openTunnel(
  proxy: URL,
  origin: Origin,
  options: { tls: ConnectionOptions; seconds: number; signal: AbortSignal },
): Promise<Socket> {
  const { signal } = options;
  const name = origin.hostname.includes(':') ? `[${origin.hostname}]` : origin.hostname;
  const target = `${name}:${origin.port}`;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(abortError(signal));
    const socket = connectToProxy(proxy, options.tls, {});
    let response = '';
    const finish = (settle: () => void): void => {
      socket.off('data', read).off('error', failed).off('close', closed).off('timeout', silent).setTimeout(0);
      signal.removeEventListener('abort', stop);
      settle();
    };
    const refuse = (message: string, code = 'ConnectionFailed', cause?: unknown): void =>
      finish(() => {
        socket.on('error', () => {}).destroy();
        reject(new S3Error(code, `The proxy ${proxy.host} ${message}.`, { cause }));
      });
    const stop = (): void => finish(() => (socket.destroy(), reject(abortError(signal))));
    const failed = (error: Error): void => refuse(`cannot be reached: ${error.message}`, 'ConnectionFailed', error);
    const closed = (): void => refuse('closed the connection');
    const silent = (): void => refuse(`sent nothing for ${options.seconds} s`);
    const read = (data: Buffer): void => {
      response += data.toString('latin1');
      const head = response.indexOf('\r\n\r\n');
      if (head < 0) return response.length > MAX_HEAD ? refuse('sent an endless response') : undefined;
      const status = /^HTTP\/1\.[01] (\d{3})[^\r\n]*/.exec(response);
      if (status?.[1]?.startsWith('2') !== true)
        // A failure (5xx) may pass; a refusal stays.
        return refuse(
          `responded "${status?.[0] ?? response.slice(0, 40)}"`,
          status?.[1]?.startsWith('5') ? undefined : 'ProxyFailed',
        );
      // Servers send nothing before a request, so no bytes follow the head.
      return finish(() => resolve(socket));
    };
    socket
      .on('data', read)
      .on('error', failed)
      .on('close', closed)
      .on('timeout', silent)
      .setTimeout(options.seconds * 1000);
    signal.addEventListener('abort', stop, { once: true });
    const authorization = proxyAuthorization(proxy);
    const more = authorization === undefined ? '' : `Proxy-Authorization: ${authorization}\r\n`;
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${more}\r\n`);
    return undefined;
  });
}
