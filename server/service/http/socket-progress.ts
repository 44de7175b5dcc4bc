import type { Socket } from 'node:net';

/** The progress of a client at one time. */
export interface Sample {
  /** Bytes that the kernel accepted for the client. */
  sent: number;
  /** Bytes that the client acknowledged; undefined if unknown. */
  acknowledged: number | undefined;
}

/** The counters of a socket's handle. They are not documented, but Node's own socket timeout reads them too. */
interface SocketHandle {
  bytesWritten: number;
  writeQueueSize: number;
}

/** Returns the bytes that the kernel accepted for a client. Without the handle, a chunk counts once all of it is accepted. */
export function sentBytes(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle?: SocketHandle | null };
  if (typeof handle?.bytesWritten === 'number' && typeof handle.writeQueueSize === 'number')
    return handle.bytesWritten - handle.writeQueueSize;
  return socket.bytesWritten - socket.writableLength;
}

/** Returns the bytes that a client read between two samples; undefined if only one of them has the acknowledged bytes. */
export function progressBetween(from: Sample, to: Sample): number | undefined {
  if (from.acknowledged === undefined && to.acknowledged === undefined) return to.sent - from.sent;
  if (from.acknowledged === undefined || to.acknowledged === undefined) return undefined;
  return to.acknowledged - from.acknowledged;
}
