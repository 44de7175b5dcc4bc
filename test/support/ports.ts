import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

/** Checks that all ports can be listened on. @throws Error that names the variable to set if one cannot */
export async function assertPortsFree(host: string, ports: Readonly<Record<string, number>>): Promise<void> {
  for (const [name, port] of Object.entries(ports)) {
    const server = createServer().listen(port, host);
    try {
      await once(server, 'listening');
      server.close();
      await once(server, 'close');
    } catch (error) {
      const why = (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${String(error)})`;
      throw new Error(`Port ${port} ${why}. Choose another one: ${name}=${port + 1} npm start`, { cause: error });
    }
  }
}

/** Finds free ports of 127.0.0.1. Another process may take one before the caller does. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}
