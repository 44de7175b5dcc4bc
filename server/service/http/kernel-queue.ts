import { readFile, readlink } from 'node:fs/promises';
import type { Socket } from 'node:net';

/** Linux's tables of TCP connections. See proc_net_tcp.rst in its documentation. */
const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];

/**
 * Reads how many bytes of each socket the kernel holds because the client has not acknowledged them. Linux holds up to 4 MiB per socket.
 * @returns no entry for a socket whose bytes are unknown: on other systems than Linux, or if no file descriptor is left to read the tables.
 */
export async function readKernelQueues(sockets: readonly Socket[]): Promise<Map<Socket, number>> {
  const queues = new Map<Socket, number>();
  if (process.platform !== 'linux' || sockets.length === 0) return queues;
  try {
    const tables = await Promise.all(TABLES.map((path) => readFile(path, 'latin1').catch(ignoreMissing)));
    const byInode = new Map(tables.flatMap((table) => table.split('\n').slice(1).map(parseRow)));
    for (const socket of sockets) {
      const inode = await inodeOf(socket);
      const bytes = inode === undefined ? undefined : byInode.get(inode);
      if (bytes !== undefined) queues.set(socket, bytes);
    }
  } catch {
    // Progress is then measured by the bytes that the kernel accepted.
    queues.clear();
  }
  return queues;
}

/** A kernel without IPv6 has no second table. */
function ignoreMissing(cause: NodeJS.ErrnoException): string {
  if (cause.code === 'ENOENT') return '';
  throw cause;
}

/** The inode of a connection and the bytes in its send queue. */
function parseRow(row: string): [inode: string, bytes: number] {
  const [, , , , queues = '', , , , , inode = ''] = row.trim().split(/\s+/);
  return [inode, Number.parseInt(queues, 16)];
}

async function inodeOf(socket: Socket): Promise<string | undefined> {
  // `_handle` is not documented.
  const { _handle: handle } = socket as Socket & { _handle?: { fd?: number } | null };
  if (!handle?.fd || handle.fd < 0) return undefined;
  return /^socket:\[(\d+)\]$/.exec(await readlink(`/proc/self/fd/${handle.fd}`))?.[1];
}
