import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Enough for a slow network to deliver an error response. */
const LINGER_MS = 5000;

/**
 * Sends the last bytes of a connection, discards further input, and closes the connection. A connection in the middle of a response is closed at once,
 * because the bytes would become part of that response.
 */
export function endConnection(socket: Socket, bytes: string): void {
  // `_httpMessage` is not documented. Node's own handler of malformed requests uses it too.
  const { _httpMessage: running } = socket as Socket & { _httpMessage?: ServerResponse | null };
  if (running?.headersSent) {
    socket.destroy();
    return;
  }
  socket.end(bytes);
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}
