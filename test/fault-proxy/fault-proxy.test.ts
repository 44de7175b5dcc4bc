import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import type { Fault, FaultProxy } from '../../fault-proxy/fault-proxy.js';

// The upstream answers what it received: how many bytes, and their digest.
let upstream: Server;
let received: { bytes: number; whole: boolean }[] = [];
let proxy: FaultProxy;
const BODY = randomBytes(300_000);
const sha = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

beforeAll(async () => {
  upstream = createServer((request, response) => {
    const hash = createHash('sha256');
    const one = { bytes: 0, whole: false };
    received.push(one);
    request.on('data', (chunk: Buffer) => {
      one.bytes += chunk.length;
      hash.update(chunk);
    });
    request.on('error', () => {});
    request.once('end', () => {
      one.whole = true;
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

const put = async () => {
  const response = await fetch(`${proxy.url}/v1/files?x=1`, { method: 'POST', body: BODY });
  return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
};
const strike = (fault: Fault, times = 1) => proxy.on({ method: 'POST', path: '/v1/files', fault, times });

describe('a fault proxy', () => {
  it('forwards unharmed what no rule names, and counts it', async () => {
    const { response, bytes } = await put();
    expect(response.status).toBe(201);
    expect(response.headers.get('x-sha256')).toBe(sha(BODY));
    expect(sha(bytes)).toBe(sha(BODY));
    expect(proxy.requests).toMatchObject([
      {
        method: 'POST',
        path: '/v1/files?x=1',
        requestBytes: 300_000,
        responseBytes: 300_000,
        status: 201,
        faulted: false,
        outcome: 'answered',
      },
    ]);
  });

  it('cuts a request at the byte', async () => {
    const rule = strike({ cutRequestAt: 123_456 });
    await expect(put()).rejects.toThrow();
    await expect.poll(() => received).toEqual([{ bytes: 123_456, whole: false }]);
    expect(proxy.requests[0]).toMatchObject({ requestBytes: 123_456, status: undefined, faulted: true, outcome: 'broken' });
    expect((await put()).response.status).toBe(201);
    expect(rule.hits).toBe(1);
  });

  it('cuts an answer at the byte', async () => {
    strike({ cutResponseAt: 1000 });
    await expect(put()).rejects.toThrow();
    expect(proxy.requests[0]).toMatchObject({ requestBytes: 300_000, responseBytes: 1000, status: 201 });
  });

  it('drops an answer after the upstream has given it', async () => {
    strike({ dropResponse: true });
    await expect(put()).rejects.toThrow();
    expect(received).toEqual([{ bytes: 300_000, whole: true }]);
    expect(proxy.requests[0]).toMatchObject({ responseBytes: 0, status: 201 });
  });

  it('answers in the upstream’s stead, so many times', async () => {
    strike({ respond: { status: 503, headers: { 'retry-after': '1' }, body: { code: 'X' } } }, 2);
    for (const status of [503, 503, 201]) expect((await put()).response.status).toBe(status);
    expect(received).toHaveLength(1);
  });

  it('skips the first ones, and forgets a rule that is removed', async () => {
    const rule = proxy.on({ skip: 1, fault: { respond: { status: 429 } } });
    const statuses = [(await put()).response.status, (await put()).response.status];
    rule.remove();
    statuses.push((await put()).response.status);
    expect(statuses).toEqual([201, 429, 201]);
  });

  it('stalls until the client gives up', async () => {
    strike({ stallRequestAt: 100_000 });
    const aborted = fetch(`${proxy.url}/v1/files`, { method: 'POST', body: BODY, signal: AbortSignal.timeout(300) });
    await expect(aborted).rejects.toThrow(/timeout/i);
    await expect.poll(() => received).toEqual([{ bytes: 100_000, whole: false }]);
  });

  it('goes offline and comes back on the same address', async () => {
    await put();
    proxy.offline();
    await expect(put()).rejects.toThrow();
    proxy.online();
    expect((await put()).response.status).toBe(201);
    expect(received).toHaveLength(2);
  });

  it('tells of every connection that it refuses while offline', async () => {
    let refused = 0;
    await using other = await startFaultProxy(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}`, {
      onRefused: () => refused++,
    });
    await (await fetch(other.url, { method: 'POST' })).arrayBuffer();
    expect(refused).toBe(0);
    other.offline();
    for (let turn = 0; turn < 2; turn++) await expect(fetch(other.url)).rejects.toThrow();
    expect(refused).toBeGreaterThanOrEqual(2);
  });

  it('has several requests wait for one pace, with every byte of either way', async () => {
    let bytes = 0;
    const pace = async (more: number) => {
      bytes += more;
    };
    strike({ pace }, 2);
    await Promise.all([put(), put()]);
    expect(bytes).toBe(4 * 300_000);
  });

  it('tampers with headers and bytes on either way', async () => {
    strike({
      request: { flipByteAt: 70_000 },
      response: { headers: { 'x-sha256': 'a lie', 'x-more': '1' }, body: (b) => b.subarray(1) },
    });
    const { response, bytes } = await put();
    expect(response.headers.get('x-sha256')).toBe('a lie');
    expect(response.headers.get('x-more')).toBe('1');
    expect(sha(bytes)).toBe(sha(BODY.subarray(1)));
    strike({ request: { flipByteAt: 70_000 } });
    const flipped = Buffer.from(BODY);
    flipped[70_000] = ~flipped[70_000]! & 0xff;
    expect((await put()).response.headers.get('x-sha256')).toBe(sha(flipped));
  });

  it('joins the faults of several rules, and asks functions', async () => {
    proxy.on({ fault: { delay: 1 } });
    proxy.on({
      when: (seen) => seen.headers['x-test'] === undefined,
      fault: (seen) => ({ respond: { status: seen.path.length } }),
    });
    expect((await fetch(proxy.url + '/'.padEnd(404, 'x'))).status).toBe(404);
  });
});
