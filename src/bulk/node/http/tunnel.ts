import { connect as connectPlain, isIP } from 'node:net';
import type { Socket } from 'node:net';
import type { ConnectionOptions, SecureContext, TLSSocket } from 'node:tls';
import { S3Error } from '../../errors.js';
import { aborted } from '../../transfer/abort.js';
import type { Origin } from '../../http/http-client.js';
import { proxyAuthorization } from './proxy.js';

const HEAD_MAX = 16 * 1024;

/** Whom the certificate is to be of. Names go into the greeting, addresses may not (RFC 6066). */
export const tlsTo = (host: string): ConnectionOptions => ({ host, servername: isIP(host) === 0 ? host : '' });

/** What certificates of authorities were read for: some milliseconds, which are spent once for all connections. */
const contexts = new WeakMap<ConnectionOptions, SecureContext>();

/** @param wide what the connection has in common with all others of its wire; it is part of `options` as well */
export function connectTls(wide: ConnectionOptions, options: object): TLSSocket {
  // Loaded when there is something to encrypt: that costs as much CPU as a hundred small files.
  const tls = process.getBuiltinModule('node:tls');
  let secureContext = wide.secureContext ?? contexts.get(wide);
  if (secureContext === undefined) contexts.set(wide, (secureContext = tls.createSecureContext(wide)));
  return tls.connect({ ...options, secureContext });
}

/** Opens the connection to a proxy itself. */
export function connectToProxy(proxy: URL, tls: ConnectionOptions, more: object): Socket {
  const secure = proxy.protocol === 'https:';
  const host = proxy.hostname.replace(/^\[|\]$/g, '');
  const target = { host, port: proxy.port === '' ? (secure ? 443 : 80) : Number(proxy.port), noDelay: true, ...more };
  return secure ? connectTls(tls, { ...tlsTo(host), ...tls, ...target }) : connectPlain(target);
}

/**
 * A connection through a proxy to the server behind it (`CONNECT`, RFC 9110): what is written to it, the proxy passes on unseen.
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
    if (signal.aborted) return reject(aborted(signal));
    const socket = connectToProxy(proxy, options.tls, {});
    let answer = '';
    const end = (settle: () => void): void => {
      socket.off('data', read).off('error', failed).off('close', closed).off('timeout', silent).setTimeout(0);
      signal.removeEventListener('abort', stop);
      settle();
    };
    const refuse = (message: string, code = 'ConnectionFailed', cause?: unknown): void =>
      end(() => {
        socket.on('error', () => {}).destroy();
        reject(new S3Error(code, `The proxy ${proxy.host} ${message}.`, { cause }));
      });
    const stop = (): void => end(() => (socket.destroy(), reject(aborted(signal))));
    const failed = (error: Error): void => refuse(`cannot be reached: ${error.message}`, 'ConnectionFailed', error);
    const closed = (): void => refuse('closed the connection');
    const silent = (): void => refuse(`said nothing for ${options.seconds} s`);
    const read = (data: Buffer): void => {
      answer += data.toString('latin1');
      const head = answer.indexOf('\r\n\r\n');
      if (head < 0) return answer.length > HEAD_MAX ? refuse('sent no answer that ends') : undefined;
      const status = /^HTTP\/1\.[01] (\d{3})[^\r\n]*/.exec(answer);
      if (status?.[1]?.startsWith('2') !== true)
        // Where a proxy fails (5xx), it may not the next time; where it refuses, it will again.
        return refuse(
          `answered "${status?.[0] ?? answer.slice(0, 40)}"`,
          status?.[1]?.startsWith('5') ? undefined : 'ProxyFailed',
        );
      // The server speaks only when spoken to: nothing of it can have come yet.
      return end(() => resolve(socket));
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
