import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Returns the base of a listening server's addresses, without a final slash. */
export function addressOf(server: Pick<Server, 'address'>): string {
  const { address, family, port } = server.address() as AddressInfo;
  const isWildcard = address === '::' || address === '0.0.0.0';
  const host = family === 'IPv6' ? `[${address}]` : address;
  return `http://${isWildcard ? 'localhost' : host}:${port}`;
}
