import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

/** @throws Error that names the variable to set, when one of the ports cannot be listened on. */
export async function assertFree(host: string, ports: Readonly<Record<string, number>>): Promise<void> {
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

/** Ports that are free just now. */
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
