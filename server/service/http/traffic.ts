import type { Socket } from 'node:net';

/** Bytes of a request and its response, with headers. */
export interface Traffic {
  received: number;
  sent: number;
}

const counted = new WeakMap<Socket, Traffic>();

/**
 * Returns the bytes that a connection has transferred since the last call. Call it once at the end of each request, so that the bytes belong to it.
 * Pipelined requests share their bytes in any way.
 */
export function takeTraffic(socket: Socket): Traffic {
  // Sockets of injected requests count nothing.
  const { bytesRead: received = 0, bytesWritten: sent = 0 } = socket as Partial<Socket>;
  const before = counted.get(socket) ?? { received: 0, sent: 0 };
  counted.set(socket, { received, sent });
  return { received: received - before.received, sent: sent - before.sent };
}
