import { request } from 'node:http';
import type { ClientRequest } from 'node:http';
import { peakMiB } from './process.js';
import { printTable } from './report.js';
import type { Row } from './report.js';
import { startOurs } from './servers.js';
import type { Ours } from './servers.js';

const GIB = 1024 ** 3;
const CHUNK = Buffer.alloc(1024 * 1024, 7);
/** MiB that each upload sends before it is cut. A hundred complete uploads would fill most disks. */
const EACH = Number(process.env['BENCH_MEMORY_MIB'] ?? 128);
const AT_ONCE = [1, 10, 100];

/** Starts an upload that announces 1 GiB and pauses after `EACH` MiB with its connection open. */
function begin(server: Ours, path: string): { sent: Promise<void>; request: ClientRequest } {
  const { url, headers } = server.target(path);
  const outgoing = request(url, { method: 'PUT', headers: { ...headers, 'content-length': GIB } });
  const sent = new Promise<void>((resolve, reject) => {
    outgoing.once('error', reject);
    outgoing.once('response', ({ statusCode }) => reject(new Error(`${path} got the status ${statusCode} while it was sent`)));
    let left = EACH;
    const write = () => {
      while (left > 0) {
        left -= 1;
        if (!outgoing.write(CHUNK)) {
          outgoing.once('drain', write);
          return;
        }
      }
      resolve();
    };
    write();
  });
  return { sent, request: outgoing };
}

/** Measures the memory of one process while many large uploads are open. */
export async function benchMemory(): Promise<void> {
  const server = await startOurs();
  const rows: Row[] = [{ 'uploads at once': 0, 'peak MiB of the service': peakMiB(server.pids) }];
  try {
    // The peak covers the whole life of the process, so the number of uploads only grows.
    for (const count of AT_ONCE) {
      const uploads = Array.from({ length: count }, (_, index) => begin(server, `memory/${count}/${index}.bin`));
      await Promise.all(uploads.map(({ sent }) => sent));
      rows.push({ 'uploads at once': count, 'peak MiB of the service': peakMiB(server.pids) });
      for (const upload of uploads) upload.request.on('error', () => {}).destroy();
    }
    printTable(`Memory with uploads of 1 GiB in flight, each cut after ${EACH} MiB`, rows);
  } finally {
    await server.stop();
  }
}
