import { connect as connectPlain } from 'node:net';
import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { S3Error } from '../../errors.js';
import type { Origin } from '../../http/http-client.js';
import { connectTls, connectToProxy, tlsTo } from './tunnel.js';

/** How a connection goes, when not straight to the server. */
export interface Route {
  /** Reads requests and passes them on. */
  proxy?: URL;
  /** Opened through a proxy to the server itself. */
  tunnel?: Socket;
}

/** How a socket is read, without a copy where the platform can. */
export interface Reading {
  /** Memory for what comes next. */
  room(): Uint8Array;
  /** @returns whether more may come: else not before `resume`. */
  read(data: Buffer): boolean;
}

/** A connection to a server, in the making. */
export function openSocket(origin: Origin, route: Route, hostTls: ConnectionOptions, { room, read }: Reading): Socket {
  const tls = { ...tlsTo(origin.hostname), ALPNProtocols: ['http/1.1'], ...hostTls };
  if (route.tunnel !== undefined) {
    const socket = connectTls(hostTls, { ...tls, socket: route.tunnel });
    // Over a socket that is there already, Node reads into no buffer of ours.
    return socket.on('data', (data: Buffer) => {
      if (!read(data)) socket.pause();
    });
  }
  const onread = {
    buffer: room,
    callback: (size: number, buffer: Uint8Array) => read(Buffer.from(buffer.buffer, buffer.byteOffset, size)),
  };
  if (route.proxy !== undefined) return connectToProxy(route.proxy, hostTls, { onread });
  const target = { host: origin.hostname, port: origin.port, noDelay: true, onread };
  return origin.secure ? connectTls(hostTls, { ...tls, ...target }) : connectPlain(target);
}

export function connectionError(error: NodeJS.ErrnoException, origin: Origin): S3Error {
  const code = error.code ?? '';
  // TLS gets HTTP for an answer; OpenSSL's words for it name its own files.
  if (/wrong.version.number/i.test(`${code} ${error.message}`))
    return new S3Error('NotS3', `${origin.host} speaks no TLS: the address has https where it may have to be http.`, {
      cause: error,
    });
  const tls = /CERT|SSL|TLS|SELF_SIGNED|LEAF_SIGNATURE/.test(code);
  return new S3Error(tls ? 'TlsFailed' : 'ConnectionFailed', `${origin.host}: ${error.message || code}`, { cause: error });
}
