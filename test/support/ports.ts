import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

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

/** Below the ports that Linux, macOS and Windows give to outgoing connections, which would take a free port before the caller does. */
const FIRST_PORT = 12_000;
const LAST_PORT = 32_000;

/** Finds free ports of 127.0.0.1. Random numbers keep parallel test processes apart. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (!ports.includes(port) && (await isFree(port))) ports.push(port);
  }
  return ports;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  await once(server.close(), 'close');
  return true;
}

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}
