import { connect as connectPlain } from 'node:net';
import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { S3Error } from '../../errors.js';
import type { Origin } from '../../http/http-client.js';
import { connectTls, connectToProxy, tlsOptionsFor } from './connect-tls.js';

/** Route of a connection to the server. Empty: the connection is direct. */
export interface Route {
  /** A proxy that forwards plain HTTP requests. */
  proxy?: URL;
  /** A connection through a proxy that is already open. */
  tunnel?: Socket;
}

/** Provides the buffers of reads, so that bytes need no copy. */
export interface SocketReader {
  /** Returns the buffer for the next read. */
  nextBuffer(): Uint8Array;
  /** Called with the bytes of a read. @returns false to pause the socket until `resume` */
  onRead(data: Buffer): boolean;
}

/** Opens a connection to a server. */
export function openSocket(
  origin: Origin,
  route: Route,
  hostTls: ConnectionOptions,
  { nextBuffer, onRead }: SocketReader,
): Socket {
  const tls = { ...tlsOptionsFor(origin.hostname), ALPNProtocols: ['http/1.1'], ...hostTls };
  if (route.tunnel !== undefined) {
    const socket = connectTls(hostTls, { ...tls, socket: route.tunnel });
    // Node ignores `onread` for TLS over an existing socket.
    return socket.on('data', (data: Buffer) => {
      if (!onRead(data)) socket.pause();
    });
  }
  const onread = {
    buffer: nextBuffer,
    callback: (size: number, buffer: Uint8Array) => onRead(Buffer.from(buffer.buffer, buffer.byteOffset, size)),
  };
  if (route.proxy !== undefined) return connectToProxy(route.proxy, hostTls, { onread });
  const target = { host: origin.hostname, port: origin.port, noDelay: true, onread };
  return origin.secure ? connectTls(hostTls, { ...tls, ...target }) : connectPlain(target);
}

/** Converts an error of a socket. The message names the server. */
export function connectionError(error: NodeJS.ErrnoException, origin: Origin): S3Error {
  const code = error.code ?? '';
  // The server speaks plain HTTP. OpenSSL's message would name its source files.
  if (/wrong.version.number/i.test(`${code} ${error.message}`))
    return new S3Error('NotS3', `${origin.host} does not speak TLS. Use http:// instead of https://.`, {
      cause: error,
    });
  const tls = /CERT|SSL|TLS|SELF_SIGNED|LEAF_SIGNATURE/.test(code);
  return new S3Error(tls ? 'TlsFailed' : 'ConnectionFailed', `${origin.host}: ${error.message || code}`, { cause: error });
}
