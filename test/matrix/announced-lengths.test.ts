import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FILE } from '../../src/protocol/limits.js';
import { Replicas } from './replicas.js';
import type { Replica } from './replicas.js';

const MIB = 1024 * 1024;
/** Bytes that each connection sends. */
const SENT = 150 * MIB;
const CONNECTIONS = 4;
/** MiB. A process that holds only its current parts needs less. It is less than half of the sent bytes. */
const MEMORY = 300;

// Replicas that share a folder hold no part in memory.
describe('two replicas during uploads that announce 5 TiB', () => {
  let replicas: Replicas;
  beforeAll(async () => {
    replicas = await Replicas.start(2);
  });
  afterAll(() => replicas.stop());

  function announce(replica: Replica, path: string, length: number): ClientRequest {
    const headers = { Authorization: `Bearer ${replicas.key}`, 'Content-Length': length };
    const sent = request(`${replica.process.url}/v1/files/${path}`, { method: 'PUT', headers, agent: false });
    return sent.on('error', () => {});
  }

  /** Reads the peak memory of a process, in MiB. */
  const peakOf = async ({ process }: Replica) => {
    const status = await readFile(`/proc/${process.pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)![1]) / 1024;
  };

  it.skipIf(process.platform !== 'linux')('hold only the bytes that arrive in memory', async () => {
    const chunk = Buffer.alloc(MIB, 'x');
    const before = await Promise.all(replicas.all.map(peakOf));
    await Promise.all(
      replicas.all.map(async (replica, at) => {
        const sending = Array.from({ length: CONNECTIONS }, async (_, index) => {
          const sent = announce(replica, `endless-${at}-${index}.bin`, FILE.maxBytes);
          for (let bytes = 0; bytes < SENT; bytes += MIB) if (!sent.write(chunk)) await once(sent, 'drain');
          return sent;
        });
        for (const sent of await Promise.all(sending)) sent.destroy();
      }),
    );
    const after = await Promise.all(replicas.all.map(peakOf));
    for (const [at, peak] of after.entries()) expect(peak - before[at]!).toBeLessThan(MEMORY);
    // Aborted uploads hold no reservation.
    await expect.poll(async () => (await replicas.admin.query('select from reservations')).rowCount).toBe(0);
  });

  it('reject an announced length of one byte more before the body', async () => {
    for (const replica of replicas.all) {
      const sent = announce(replica, 'too-large.bin', FILE.maxBytes + 1);
      sent.flushHeaders();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      expect(response.statusCode).toBe(413);
      sent.destroy();
    }
  });
});
