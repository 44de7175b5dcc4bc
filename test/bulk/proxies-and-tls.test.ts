import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBulkTransfer, FolderTarget, proxyFromEnvironment, walk } from '../../src/bulk/node/index.js';
import type { BulkTransfer } from '../../src/bulk/node/index.js';
import { proxyAuthorization } from '../../src/bulk/node/http/proxy.js';
import { originOf } from '../../src/bulk/http/http-client.js';
import { runCommandProcess } from '../cli/run-command.js';
import { startFaultProxy } from '../../fault-proxy/fault-proxy.js';
import { TestEndpoint } from '../s3-endpoint/start-endpoint.js';
import { createBucket, createTransfer, createFolder, s3 } from './s3-store.js';

const MiB = 1024 * 1024;

/** Creates small files and one in parts, so that a transfer uses both the HTTP client and the SDK. */
function createFiles(): string {
  const folder = createFolder();
  for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, name), name);
  writeFileSync(join(folder, 'big'), randomBytes(12 * MiB));
  return folder;
}

async function expectRoundTrip(bulk: BulkTransfer, bucket: string): Promise<void> {
  const folder = createFiles();
  const place = { bucket, prefix: 'x/' };
  const options = { partSize: 5 * MiB, retry: { tries: 1 } };
  expect(await bulk.upload(walk(folder), place, options)).toMatchObject({ files: 4, failed: 0, failures: [], retries: 0 });
  const target = createFolder();
  expect(await bulk.download(place, new FolderTarget(target), options)).toMatchObject({ files: 4, failed: 0 });
  expect(readFileSync(join(target, 'big')).equals(readFileSync(join(folder, 'big')))).toBe(true);
  expect(await bulk.delete(place)).toMatchObject({ deleted: 4, failed: 0 });
}

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));

/** Starts a proxy that forwards every request to one port of this machine and knows one user. */
async function startProxy(to: { plain: number; secure: number }) {
  const requests: string[] = [];
  const expectedHeader = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
  const isKnown = (message: IncomingMessage): boolean => message.headers['proxy-authorization'] === expectedHeader;
  const server = createServer((incoming, outgoing) => {
    requests.push(`${incoming.method} ${new URL(incoming.url!).host}`);
    if (!isKnown(incoming)) return void outgoing.writeHead(407).end();
    const { pathname, search } = new URL(incoming.url!);
    const { 'proxy-authorization': _, ...headers } = incoming.headers;
    const onward = request(
      { host: '127.0.0.1', port: to.plain, method: incoming.method, path: pathname + search, headers },
      (response) => {
        outgoing.writeHead(response.statusCode!, response.headers);
        response.pipe(outgoing);
      },
    );
    return void incoming.pipe(onward);
  });
  server.on('connect', (incoming, socket) => {
    requests.push(`CONNECT ${incoming.url}`);
    if (!isKnown(incoming)) return socket.end('HTTP/1.1 407 Who are you\r\n\r\n');
    const onward = connect(to.secure, '127.0.0.1', () => socket.write('HTTP/1.1 200 Go on\r\n\r\n'));
    onward.pipe(socket).pipe(onward);
    for (const stream of [onward, socket]) stream.on('error', () => {});
    return undefined;
  });
  const port = await listen(server);
  return {
    url: `http://user:p%40ss@127.0.0.1:${port}`,
    unknown: `http://127.0.0.1:${port}`,
    requests,
    close: () => server.close(),
  };
}

/** Creates an authority and its certificate for store.test and this machine. */
function createCertificate() {
  const folder = createFolder();
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const key = ['-newkey', 'rsa:2048', '-nodes', '-days', '2'];
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Test authority');
  openssl('req', '-new', ...key.slice(0, 3), '-keyout', 'key.pem', '-out', 'request.pem', '-subj', '/CN=store.test');
  writeFileSync(join(folder, 'names'), 'subjectAltName=DNS:store.test,IP:127.0.0.1');
  const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names', '-days', '2'];
  openssl('x509', '-req', '-in', 'request.pem', ...signing, '-out', 'cert.pem');
  const read = (name: string): Buffer => readFileSync(join(folder, name));
  return { key: read('key.pem'), cert: read('cert.pem'), authority: join(folder, 'ca.pem') };
}

// Uses this product's endpoint, because Ceph takes an unknown host for the name of a bucket.
describe('a transfer through a proxy or TLS', () => {
  let store: TestEndpoint;
  const certificate = createCertificate();
  let front: Server;
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  let securePort: number;

  beforeAll(async () => {
    store = await TestEndpoint.start();
    const plain = Number(new URL(store.url).port);
    front = createTlsServer({ key: certificate.key, cert: certificate.cert }, (socket) => {
      const onward = connect(plain, '127.0.0.1');
      onward.pipe(socket).pipe(onward);
      for (const stream of [onward, socket]) stream.on('error', () => {});
    });
    securePort = await listen(front);
    proxy = await startProxy({ plain, secure: securePort });
  });
  afterAll(async () => {
    front?.close();
    proxy?.close();
    await store?.stop();
  });

  const createTransferThrough = (endpoint: string, environment: Record<string, string>): BulkTransfer =>
    createBulkTransfer({
      endpoint,
      credentials: store.pair,
      proxy: proxyFromEnvironment(environment),
      tls: { ca: readFileSync(certificate.authority) },
      stallSeconds: 5,
    });

  it('reaches a store over TLS by its IP address', async () => {
    await expectRoundTrip(createTransferThrough(`https://127.0.0.1:${securePort}`, {}), 'main');
  });

  it('reaches a store that only the proxy can resolve, with and without a tunnel', async () => {
    for (const [endpoint, name, first] of [
      ['https://store.test', 'HTTPS_PROXY', 'CONNECT store.test:443'],
      ['http://store.test', 'http_proxy', 'PUT store.test'],
    ] as const) {
      proxy.requests.length = 0;
      await expectRoundTrip(createTransferThrough(endpoint, { [name]: proxy.url }), 'main');
      expect(proxy.requests).toContain(first);
    }
  });

  it('reports a refusing proxy without retries', async () => {
    const bulk = createTransferThrough('https://store.test', { HTTPS_PROXY: proxy.unknown });
    const summary = await bulk.upload(walk(createFiles()), { bucket: 'any-bucket', prefix: '' }, { concurrency: 1 });
    expect(summary).toMatchObject({ files: 0, retries: 0 });
    expect(summary.failures[0]).toMatchObject({ code: 'ProxyFailed', message: expect.stringContaining('407 Who are you') });
    expect(summary.failures[0]!.advice).toContain('HTTPS_PROXY');
  });

  it('reads proxies and certificate authorities from the environment', async () => {
    const folder = createFiles();
    const environment = {
      AWS_ENDPOINT_URL: 'https://store.test',
      AWS_ACCESS_KEY_ID: store.pair.accessKeyId,
      AWS_SECRET_ACCESS_KEY: store.pair.secretAccessKey,
      HTTPS_PROXY: proxy.url,
      XDG_STATE_HOME: createFolder(),
      HOME: createFolder(),
    };
    const cp = (more: Record<string, string>) =>
      runCommandProcess(['cp', '-r', folder, 's3://main/'], { ...environment, ...more });
    expect(await cp({ AWS_CA_BUNDLE: certificate.authority })).toMatchObject({ status: 0 });
    expect(await cp({ NODE_EXTRA_CA_CERTS: certificate.authority })).toMatchObject({ status: 0 });
    expect(await cp({})).toMatchObject({ status: 1, stderr: expect.stringContaining('AWS_CA_BUNDLE') });
    expect(await cp({ AWS_CA_BUNDLE: '/no/such/file' })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('/no/such/file'),
    });
    expect((await store.stored()).keys).toHaveLength(4);
  });
});

describe('proxyFromEnvironment', () => {
  const choose = (environment: Record<string, string>, ...urls: string[]) =>
    urls.map((url) => proxyFromEnvironment(environment)(originOf(new URL(url)))?.host);

  it('chooses by scheme, and bypasses hosts in NO_PROXY and this machine', () => {
    expect(choose({ HTTPS_PROXY: 'http://s:1', http_proxy: 'p:2' }, 'https://a', 'http://a')).toEqual(['s:1', 'p:2']);
    expect(choose({ ALL_PROXY: 'http://all:3', HTTP_PROXY: 'http://p:2' }, 'https://a', 'http://a')).toEqual(['all:3', 'p:2']);
    expect(choose({}, 'https://a')).toEqual([undefined]);
    const rules = { HTTPS_PROXY: 'http://p:1', NO_PROXY: '.corp.example, exact.org:9000,10.0.0.0/8 ::1,*.wild.net,192.168.7.7' };
    const bypassed = [
      's3.corp.example',
      'corp.example',
      'a.exact.org:9000',
      '10.2.3.4',
      'x.wild.net',
      '192.168.7.7',
      'localhost:9',
      '127.9.9.9',
      '[::1]:8',
    ];
    const proxied = ['mycorp.example', 'exact.org', '11.2.3.4', 'wild.net.evil.org', '192.168.7.8'];
    expect(choose(rules, ...bypassed.map((host) => `https://${host}`))).toEqual(bypassed.map(() => undefined));
    expect(choose(rules, ...proxied.map((host) => `https://${host}`))).toEqual(proxied.map(() => 'p:1'));
    expect(choose({ ...rules, NO_PROXY: '*' }, 'https://a')).toEqual([undefined]);
    expect(choose({ ...rules, NO_PROXY: '10.0.0.0/64,::/200' }, 'https://10.0.0.1', 'https://[::2]')).toEqual(['p:1', 'p:1']);
  });

  it('decodes the user and password of the proxy address', () => {
    const credentialsOf = (user: string) => {
      const [, basic] = proxyAuthorization(new URL(`http://${user}@p:1`))!.split(' ');
      return Buffer.from(basic!, 'base64').toString();
    };
    expect(['me:50%off', 'me:%zz', 'a%40b:c%3Ad', 'J\u00fcrgen:%C3%BC', 'me'].map(credentialsOf)).toEqual([
      'me:50%off',
      'me:%zz',
      'a@b:c:d',
      'J\u00fcrgen:\u00fc',
      'me:',
    ]);
    expect(proxyAuthorization(new URL('http://p:1'))).toBeUndefined();
  });

  it('validates a proxy address only when it is used', () => {
    const socks = { ALL_PROXY: 'socks5://x:1' };
    expect(choose(socks, 'http://localhost:9000', 'https://127.0.0.1')).toEqual([undefined, undefined]);
    expect(choose({ ...socks, NO_PROXY: '*' }, 'https://a')).toEqual([undefined]);
    expect(choose({ ...socks, HTTPS_PROXY: 'http://p:1' }, 'https://a')).toEqual(['p:1']);
    const failed = { name: 'S3Error', code: 'ProxyFailed' };
    expect(() => choose(socks, 'https://a')).toThrow(
      expect.objectContaining({ ...failed, message: expect.stringMatching(/socks5/) }),
    );
    expect(() => choose({ HTTPS_PROXY: 'http://me:pass@:x' }, 'https://a')).toThrow(expect.objectContaining(failed));
  });
});

describe('a transfer to a bucket in another region', () => {
  it.each([400, 301])('uses the region that a %i response names', async (status) => {
    await using proxy = await startFaultProxy(s3.endpoint);
    const region = s3.region;
    const rule = proxy.on({
      when: ({ headers }) => !String(headers.authorization).includes(`/${region}/s3/`),
      fault: { respond: { status, headers: { 'x-amz-bucket-region': region } } },
    });
    await expectRoundTrip(createTransfer({ endpoint: proxy.url, region: 'elsewhere-9' }), await createBucket());
    expect(rule.hits).toBeGreaterThan(0);
    // Requests that were already running may be redirected as well. Later ones use the region.
    expect(rule.hits).toBeLessThanOrEqual(8);
  });

  it('uses the address that a 307 response names', async () => {
    await using proxy = await startFaultProxy(s3.endpoint);
    proxy.on({ fault: ({ path }) => ({ respond: { status: 307, headers: { location: s3.endpoint + path } } }) });
    await expectRoundTrip(createTransfer({ endpoint: proxy.url }), await createBucket());
    expect(proxy.requests.length).toBeGreaterThan(0);
    expect(proxy.requests.length).toBeLessThanOrEqual(8);
  });

  it('fails if the store redirects in a loop', async () => {
    await using proxy = await startFaultProxy(s3.endpoint);
    let turn = 0;
    proxy.on({ fault: () => ({ respond: { status: 301, headers: { 'x-amz-bucket-region': `r-${++turn}` } } }) });
    const summary = await createTransfer({ endpoint: proxy.url }).upload(walk(createFiles()), {
      bucket: 'any-bucket',
      prefix: '',
    });
    expect(summary).toMatchObject({ files: 0, failed: 4, retries: 0 });
    for (const failure of summary.failures) expect(failure).toMatchObject({ code: 'PermanentRedirect' });
    expect(summary.failures[0]!.advice).toContain('--region');
  });
});
