import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AddressPolicy } from '../../server/service/outbound/address-policy.js';
import { OutboundClient } from '../../server/service/outbound/outbound-client.js';
import { parseOutboundUrl } from '../../server/service/outbound/parse-url.js';

const LOOPBACK = { address: '127.0.0.1', family: 4 } as const;
const signal = new AbortController().signal;

describe('the address policy', () => {
  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.100.100.200',
    '127.0.0.1',
    '168.63.129.16',
    '169.254.169.254',
    '172.31.255.255',
    '192.0.0.192',
    '192.168.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:8.8.8.8',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '64:ff9b::a00:1',
    '64:ff9b:1::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    'localhost',
    '',
  ])('refuses %s', (address) => expect(new AddressPolicy().allows(address)).toBe(false));

  it.each(['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700:4700::1111'])('allows %s', (address) =>
    expect(new AddressPolicy().allows(address)).toBe(true),
  );

  it('allows what the operator allows, and no other form of it', () => {
    const policy = new AddressPolicy(['10.0.0.0/8', '127.0.0.1', 'fd00::/8']);
    expect(['10.9.9.9', '127.0.0.1', 'fd00::7'].map((address) => policy.allows(address))).toEqual([true, true, true]);
    expect(['127.0.0.2', '::ffff:10.9.9.9', '64:ff9b::a09:909', '192.168.0.1'].map((a) => policy.allows(a))).toEqual(
      Array.from({ length: 4 }, () => false),
    );
  });

  it('does not open with an invalid range', () => {
    expect(() => new AddressPolicy(['10.0.0.0/40'])).toThrow();
    for (const range of ['intranet', '10.0.0.0/', '10.0.0.0/33']) expect(() => new AddressPolicy([range])).toThrow(RangeError);
  });
});

describe('the URL of an outbound request', () => {
  it.each([
    ['ftp://example.org/', 'must begin with'],
    ['file:///etc/passwd', 'must begin with'],
    ['/relative', 'must be an absolute URL'],
    ['https://user@example.org/', 'user name'],
    ['https://:secret@example.org/', 'user name'],
    ['http://example.org:22/', 'port'],
    ['http://example.org:0/', 'port'],
    [`https://example.org/${'a'.repeat(2048)}`, 'at most 2048'],
  ])('%s is refused', (url, problem) => expect(() => parseOutboundUrl(url)).toThrow(problem));

  it('loses its fragment', () => expect(parseOutboundUrl('https://example.org/a#b').href).toBe('https://example.org/a'));
});

describe('the outbound client', () => {
  let respond: RequestListener = (_request, response) => response.end('internal');
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    respond(request, response);
  });
  let port: number;
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  const get = (client: OutboundClient, host: string) =>
    client.send(parseOutboundUrl(`http://${host}:${port}/`), { signal }).then(
      (response) => {
        response.resume();
        return response.statusCode;
      },
      (cause: { code: string }) => cause.code,
    );

  it('refuses every spelling of an internal address before it connects', async () => {
    const client = new OutboundClient({ resolve: async () => [LOOPBACK] });
    const before = requests;
    for (const host of ['127.0.0.1', '0x7f.1', '2130706433', '017700000001', '[::1]', '[::ffff:127.0.0.1]', 'name.example'])
      expect([host, await get(client, host)]).toEqual([host, 'address_refused']);
    expect(requests).toBe(before);
  });

  it('asks DNS once and connects to the checked address, so that a second response cannot lead elsewhere', async () => {
    const responses = [[{ address: '127.0.0.1', family: 4 as const }], [{ address: '127.0.0.3', family: 4 as const }]];
    let queries = 0;
    const client = new OutboundClient({ allow: ['127.0.0.1'], resolve: async () => responses[Math.min(queries++, 1)]! });
    expect(await get(client, 'rebinding.example')).toBe(200);
    expect(queries).toBe(1);
    expect(await get(client, 'rebinding.example')).toBe('address_refused');
  });

  it('connects only to the allowed ones of several addresses', async () => {
    const resolve = async () => [{ address: '127.0.0.9', family: 4 as const }, LOOPBACK];
    expect(await get(new OutboundClient({ allow: ['127.0.0.1'], resolve }), 'mixed.example')).toBe(200);
  });

  it('follows no redirect and uses no proxy of the environment', async () => {
    respond = (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    process.env['http_proxy'] = 'http://127.0.0.1:1';
    const client = new OutboundClient({ allow: ['127.0.0.1'], resolve: async () => [LOOPBACK] });
    expect(await get(client, 'redirecting.example')).toBe(302);
    delete process.env['http_proxy'];
  });

  it('reports a name without an address, a closed port and an abort', async () => {
    const client = new OutboundClient({ allow: ['127.0.0.1'], resolve: async () => [] });
    expect(await get(client, 'unknown.example')).toBe('unresolved');
    const closed = parseOutboundUrl('http://127.0.0.1:1024/');
    await expect(client.send(closed, { signal })).rejects.toMatchObject({ code: 'connection' });
    respond = () => {};
    const stop = new AbortController();
    const hanging = client.send(parseOutboundUrl(`http://127.0.0.1:${port}/`), { signal: stop.signal });
    stop.abort(new Error('stopped'));
    await expect(hanging).rejects.toThrow('stopped');
    const stalledDns = new OutboundClient({ resolve: () => new Promise(() => {}) });
    const waiting = stalledDns.send(parseOutboundUrl('http://slow.example/'), { signal: AbortSignal.timeout(10) });
    await expect(waiting).rejects.toThrow(/timeout/);
  });
});
