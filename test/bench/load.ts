import { Agent, request } from 'node:http';
import type { OutgoingHttpHeaders } from 'node:http';

/** The same client for every server. */

export interface Put {
  url: string;
  headers?: OutgoingHttpHeaders;
  method?: string;
}

/** Sends one body of `size` bytes made of `chunk`, as fast as the socket takes it. @throws Error if the status is not 2xx */
export function put(agent: Agent, target: Put, size: number, chunk: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-length': size, 'content-type': 'application/octet-stream', ...target.headers };
    const outgoing = request(target.url, { method: target.method ?? 'PUT', agent, headers }, (response) => {
      let text = '';
      response.on('data', (data: Buffer) => (text = (text + data.toString('latin1')).slice(0, 500)));
      response.once('error', reject);
      response.once('end', () => {
        const ok = response.statusCode !== undefined && response.statusCode < 300;
        if (ok) resolve();
        else reject(new Error(`${target.url}: ${response.statusCode} ${text}`));
      });
    });
    outgoing.once('error', reject);
    let left = size;
    const write = () => {
      while (left > 0) {
        const part = left >= chunk.length ? chunk : chunk.subarray(0, left);
        left -= part.length;
        if (!outgoing.write(part) && left > 0) {
          outgoing.once('drain', write);
          return;
        }
      }
      outgoing.end();
    };
    write();
  });
}

/** Reads one body to its end. @throws Error if the status is not 2xx or the length differs */
export function get(agent: Agent, target: Put, size: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const { headers = {} } = target;
    const outgoing = request(target.url, { method: 'GET', agent, headers }, (response) => {
      let length = 0;
      response.on('data', (data: Buffer) => (length += data.length));
      response.once('error', reject);
      response.once('end', () => {
        if (response.statusCode === 200 && length === size) resolve();
        else reject(new Error(`${target.url}: ${response.statusCode}, ${length} bytes`));
      });
    });
    outgoing.once('error', reject);
    outgoing.end();
  });
}

/** Sends many requests over kept connections, `concurrency` at once. */
export async function runMany(
  count: number,
  concurrency: number,
  job: (agent: Agent, index: number) => Promise<void>,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  let next = 0;
  const worker = async () => {
    while (next < count) await job(agent, next++);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  agent.destroy();
}

/** Sends many small bodies, `concurrency` at once. @returns elapsed seconds */
export async function putMany(
  targets: (index: number) => Put,
  count: number,
  concurrency: number,
  body: Buffer,
): Promise<number> {
  const began = performance.now();
  await runMany(count, concurrency, (agent, index) => put(agent, targets(index), body.length, body));
  return (performance.now() - began) / 1000;
}
