import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { abortError } from '../../abort.js';
import { S3Error } from '../../errors.js';
import type { Origin } from '../../http/http-client.js';
import { connectToProxy } from './connect-tls.js';
import { proxyAuthorization } from './proxy.js';

/** Longest response of a proxy. Bytes. */
const MAX_HEAD = 16 * 1024;

interface TunnelOptions {
  tls: ConnectionOptions;
  /** Seconds without any byte after which the request fails. */
  seconds: number;
  signal: AbortSignal;
}

/**
 * Opens a connection to a server through a proxy by the method `CONNECT`.
 * @see RFC 9110, section 9.3.6
 * @throws S3Error `ProxyFailed`, `ConnectionFailed`, `Aborted`
 */
export function openTunnel(proxy: URL, origin: Origin, { tls, seconds, signal }: TunnelOptions): Promise<Socket> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(abortError(signal));
    const socket = connectToProxy(proxy, tls, {});
    let response = '';
    const removeListeners = (): void => {
      socket.off('data', onData).off('error', onError).off('close', onClose).off('timeout', onTimeout).setTimeout(0);
      signal.removeEventListener('abort', onAbort);
    };
    const fail = (message: string, code = 'ConnectionFailed', cause?: unknown): void => {
      removeListeners();
      socket.on('error', () => {}).destroy();
      reject(new S3Error(code, `The proxy ${proxy.host} ${message}.`, { cause }));
    };
    const onAbort = (): void => {
      removeListeners();
      socket.destroy();
      reject(abortError(signal));
    };
    const onError = (error: Error): void => fail(`cannot be reached: ${error.message}`, 'ConnectionFailed', error);
    const onClose = (): void => fail('closed the connection');
    const onTimeout = (): void => fail(`sent nothing for ${seconds} s`);
    const onData = (data: Buffer): void => {
      response += data.toString('latin1');
      if (!response.includes('\r\n\r\n')) {
        if (response.length > MAX_HEAD) fail(`sent a response head of more than ${MAX_HEAD} bytes`);
        return;
      }
      const [statusLine = response.slice(0, 40), status = ''] = /^HTTP\/1\.[01] (\d{3})[^\r\n]*/.exec(response) ?? [];
      if (!status.startsWith('2')) {
        // A server error may be temporary and is retried. A refusal is not.
        fail(`responded "${statusLine}"`, status.startsWith('5') ? 'ConnectionFailed' : 'ProxyFailed');
        return;
      }
      // Servers send nothing before a request, so no bytes follow the head.
      removeListeners();
      resolve(socket);
    };
    socket.on('data', onData).on('error', onError).on('close', onClose).on('timeout', onTimeout);
    socket.setTimeout(seconds * 1000);
    signal.addEventListener('abort', onAbort, { once: true });
    socket.write(connectRequest(proxy, origin));
    return undefined;
  });
}

function connectRequest(proxy: URL, { hostname, port }: Origin): string {
  const target = `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`;
  const authorization = proxyAuthorization(proxy);
  const credentials = authorization === undefined ? '' : `Proxy-Authorization: ${authorization}\r\n`;
  return `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${credentials}\r\n`;
}
