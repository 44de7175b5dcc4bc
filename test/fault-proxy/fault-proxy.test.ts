import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import type { Fault, FaultProxy } from '../../fault-proxy/fault-proxy.js';

/** Responds with the digest of the body that it received. */
let upstream: Server;
let received: { bytes: number; isComplete: boolean }[] = [];
let proxy: FaultProxy;
const BODY = randomBytes(300_000);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

beforeAll(async () => {
  upstream = createServer((request, response) => {
    const hash = createHash('sha256');
    const body = { bytes: 0, isComplete: false };
    received.push(body);
    request.on('data', (chunk: Buffer) => {
      body.bytes += chunk.length;
      hash.update(chunk);
    });
    request.on('error', () => {});
    request.once('end', () => {
      body.isComplete = true;
      response.writeHead(201, { 'x-sha256': hash.digest('hex') });
      response.end(BODY);
    });
  });
  await new Promise<void>((resolve) => {
    upstream.listen(0, '127.0.0.1', resolve);
  });
});
afterAll(() => upstream.close());
beforeEach(async () => {
  received = [];
  proxy = await startFaultProxy(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}`);
});
afterEach(() => proxy.close());

const upload = async () => {
  const response = await fetch(`${proxy.url}/v1/files?x=1`, { method: 'POST', body: BODY });
  return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
};
const applyFault = (fault: Fault, times = 1) => proxy.on({ method: 'POST', path: '/v1/files', fault, times });

describe('fault proxy', () => {
  it('forwards and counts requests without a rule unchanged', async () => {
    const { response, bytes } = await upload();
    expect(response.status).toBe(201);
    expect(response.headers.get('x-sha256')).toBe(sha256(BODY));
    expect(sha256(bytes)).toBe(sha256(BODY));
    expect(proxy.requests).toMatchObject([
      {
        method: 'POST',
        path: '/v1/files?x=1',
        requestBytes: 300_000,
        responseBytes: 300_000,
        status: 201,
        faulted: false,
        outcome: 'completed',
      },
    ]);
  });

  it('cuts a request at an offset', async () => {
    const rule = applyFault({ cutRequestAt: 123_456 });
    await expect(upload()).rejects.toThrow();
    await expect.poll(() => received).toEqual([{ bytes: 123_456, isComplete: false }]);
    expect(proxy.requests[0]).toMatchObject({ requestBytes: 123_456, status: undefined, faulted: true, outcome: 'broken' });
    expect((await upload()).response.status).toBe(201);
    expect(rule.hits).toBe(1);
  });

  it('cuts a response at an offset', async () => {
    applyFault({ cutResponseAt: 1000 });
    await expect(upload()).rejects.toThrow();
    expect(proxy.requests[0]).toMatchObject({ requestBytes: 300_000, responseBytes: 1000, status: 201 });
  });

  it('drops the response of the upstream', async () => {
    applyFault({ dropResponse: true });
    await expect(upload()).rejects.toThrow();
    expect(received).toEqual([{ bytes: 300_000, isComplete: true }]);
    expect(proxy.requests[0]).toMatchObject({ responseBytes: 0, status: 201 });
  });

  it('responds itself for a number of requests', async () => {
    applyFault({ respond: { status: 503, headers: { 'retry-after': '1' }, body: { code: 'X' } } }, 2);
    for (const status of [503, 503, 201]) expect((await upload()).response.status).toBe(status);
    expect(received).toHaveLength(1);
  });

  it('skips the first requests, and forgets a removed rule', async () => {
    const rule = proxy.on({ skip: 1, fault: { respond: { status: 429 } } });
    const statuses = [(await upload()).response.status, (await upload()).response.status];
    rule.remove();
    statuses.push((await upload()).response.status);
    expect(statuses).toEqual([201, 429, 201]);
  });

  it('stalls until the client closes', async () => {
    applyFault({ stallRequestAt: 100_000 });
    const aborted = fetch(`${proxy.url}/v1/files`, { method: 'POST', body: BODY, signal: AbortSignal.timeout(300) });
    await expect(aborted).rejects.toThrow(/timeout/i);
    await expect.poll(() => received).toEqual([{ bytes: 100_000, isComplete: false }]);
  });

  it('goes offline and comes back at the same address', async () => {
    await upload();
    proxy.offline();
    await expect(upload()).rejects.toThrow();
    proxy.online();
    expect((await upload()).response.status).toBe(201);
    expect(received).toHaveLength(2);
  });

  it('reports every connection that it refuses while offline', async () => {
    let refused = 0;
    await using other = await startFaultProxy(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}`, {
      onRefused: () => refused++,
    });
    await (await fetch(other.url, { method: 'POST' })).arrayBuffer();
    expect(refused).toBe(0);
    other.offline();
    for (let attempt = 0; attempt < 2; attempt++) await expect(fetch(other.url)).rejects.toThrow();
    expect(refused).toBeGreaterThanOrEqual(2);
  });

  it('limits the rate of several requests together, in both directions', async () => {
    let bytes = 0;
    const beforeChunk = async (count: number) => {
      bytes += count;
    };
    applyFault({ beforeChunk }, 2);
    await Promise.all([upload(), upload()]);
    expect(bytes).toBe(4 * 300_000);
  });

  it('changes headers and bytes in both directions', async () => {
    applyFault({
      request: { flipByteAt: 70_000 },
      response: { headers: { 'x-sha256': 'changed', 'x-more': '1' }, body: (b) => b.subarray(1) },
    });
    const { response, bytes } = await upload();
    expect(response.headers.get('x-sha256')).toBe('changed');
    expect(response.headers.get('x-more')).toBe('1');
    expect(sha256(bytes)).toBe(sha256(BODY.subarray(1)));
    applyFault({ request: { flipByteAt: 70_000 } });
    const flipped = Buffer.from(BODY);
    flipped[70_000] = ~flipped[70_000]! & 0xff;
    expect((await upload()).response.headers.get('x-sha256')).toBe(sha256(flipped));
  });

  it('combines the faults of several rules and functions', async () => {
    proxy.on({ fault: { delay: 1 } });
    proxy.on({
      when: (seen) => seen.headers['x-test'] === undefined,
      fault: (seen) => ({ respond: { status: seen.path.length } }),
    });
    expect((await fetch(proxy.url + '/'.padEnd(404, 'x'))).status).toBe(404);
  });
});
