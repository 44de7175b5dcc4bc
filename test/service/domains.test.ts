import { ADMIN_CREATOR } from '../../server/service/identity/creator.js';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Metadata } from '../../server/service/drivers/metadata/metadata.js';
import { Domains } from '../../server/service/sharing/domains.js';
import { startDns } from './start-dns.js';
import { TestService } from './support.js';

interface Domain {
  id: string;
  host: string;
  status: string;
  checked_at: string | null;
  dns_record: { type: string; name: string; value: string; found?: string[] | null };
}

const records = new Map<string, string | null>();
let dns: Awaited<ReturnType<typeof startDns>>;
let service: TestService;
beforeAll(async () => {
  dns = await startDns(records);
  service = await TestService.start({ dnsServers: [dns.address] });
});
afterAll(async () => {
  await service.advanceClock(0);
  await service.stop();
  dns.close();
});

const add = (body: object) => service.call<Domain>('POST', '/v1/domains', { body });

/** fetch does not allow a custom Host header. */
function get(host: string, path: string, method = 'GET'): Promise<[number, string]> {
  const { hostname, port } = new URL(service.url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, method, headers: { Host: host } }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += chunk)).on('end', () => resolve([response.statusCode!, text]));
    })
      .on('error', reject)
      .end();
  });
}

describe('a domain', () => {
  it('serves public files after its TXT record is verified', async () => {
    await service.put('site/a b.txt?visibility=public', 'hello');
    await service.put('site/private.txt', 'secret');
    const { response: domain } = await add({ host: 'Files.Example.org.', prefix: 'site' });
    expect(domain).toMatchObject({
      host: 'files.example.org',
      status: 'pending',
      dns_record: { name: '_svc-blob.files.example.org' },
    });
    expect((await get('files.example.org', '/a%20b.txt'))[0]).toBe(404);

    records.set('_svc-blob.files.example.org', 'svc-blob=guessed');
    expect((await service.call<Domain>('GET', `/v1/domains/${domain.id}`)).response.status).toBe('pending');
    records.set('_svc-blob.files.example.org', domain.dns_record.value);
    expect((await service.call<Domain>('GET', `/v1/domains/${domain.id}`)).response.status).toBe('verified');

    await expect.poll(() => get('files.example.org', '/a%20b.txt?v=1')).toEqual([200, 'hello']);
    await expect.poll(async () => (await get('files.example.org', '/a%20b.txt'))[0]).toBe(200);
    expect((await get('FILES.example.org:8080', '/a%20b.txt'))[0]).toBe(200);
    for (const path of ['/private.txt', '/', '/site/a%20b.txt', '/v1/files', '/healthz'])
      expect([path, (await get('files.example.org', path))[0]]).toEqual([path, path === '/' ? 400 : 404]);
    expect((await get('files.example.org', '/..%2Fsite%2Fa%20b.txt'))[0]).toBe(400);
    expect((await get('files.example.org', '/a%20b.txt', 'DELETE'))[0]).toBe(405);

    await service.call('PATCH', `/v1/domains/${domain.id}`, { body: { prefix: '' } });
    await expect.poll(async () => (await get('files.example.org', '/site/a%20b.txt'))[0]).toBe(200);
    await service.call('DELETE', `/v1/domains/${domain.id}`);
    await expect.poll(async () => (await get('files.example.org', '/site/a%20b.txt'))[0]).toBe(404);
  });

  it('states which values its record has, when it was checked, and whether DNS responded', async () => {
    const { response: domain } = await add({ host: 'wrong.example.org' });
    const { id, dns_record: record } = domain;
    expect([domain.dns_record.found, domain.checked_at]).toEqual([[], expect.any(String)]);
    const check = async () => (await service.call<Domain>('GET', `/v1/domains/${id}`)).response.dns_record.found;
    records.set(record.name, 'svc-blob=outdated');
    expect(await check()).toEqual(['svc-blob=outdated']);
    records.set(record.name, null);
    expect(await check()).toBeNull();
    records.set(record.name, record.value);
    expect(await check()).toBeUndefined();
  });

  it('belongs to the account that proves ownership', async () => {
    const { core } = service.service;
    await core.accounts.ensure('other');
    const others = (await core.accounts.mainStorage('other'))!;
    const theirs = await core.domains.create(others, ADMIN_CREATOR, { host: 'moved.example.org' });
    records.set(theirs.txtName, theirs.txtValue);
    expect((await core.domains.verify(others, theirs.id)).verifiedAt).not.toBeNull();
    const { response: ours } = await add({ host: 'moved.example.org' });
    expect(ours.status).toBe('pending');
    records.set(theirs.txtName, ours.dns_record.value);
    expect((await service.call<Domain>('GET', `/v1/domains/${ours.id}`)).response.status).toBe('verified');
    expect((await core.domains.get(others, theirs.id)).verifiedAt).toBeNull();
  });

  it('is suspended after repeated checks without its record, but not while DNS is unavailable', async () => {
    await service.put('lasting.txt?visibility=public', 'still here');
    const { response: domain } = await add({ host: 'lasting.example.org' });
    const name = domain.dns_record.name;
    records.set(name, domain.dns_record.value);
    await service.call('GET', `/v1/domains/${domain.id}`);
    const { domains } = service.service.core;
    const listed = async () =>
      (await service.call<{ domains: Domain[] }>('GET', '/v1/domains')).response.domains.find(({ id }) => id === domain.id)!;
    expect(await domains.recheck()).toBe(0);

    // Two checks in parallel, as of two replicas. Only one of them queries DNS.
    let ahead = 0;
    const twice = async () => {
      await service.advanceClock((ahead += 300_000));
      const [one, other] = await Promise.all([domains.recheck({ after: 250_000 }), domains.recheck({ after: 250_000 })]);
      return one + other;
    };
    records.set(name, null);
    for (let day = 0; day < 5; day++) expect(await twice()).toBe(0);
    records.delete(name);
    expect([await twice(), await twice()]).toEqual([0, 0]);
    records.set(name, domain.dns_record.value);
    expect(await twice()).toBe(0);
    records.set(name, 'svc-blob=somebody else');
    expect([await twice(), await twice()]).toEqual([0, 0]);
    expect(await listed()).toMatchObject({ status: 'verified', checked_at: expect.any(String) });
    expect((await get('lasting.example.org', '/lasting.txt'))[0]).toBe(200);
    expect(await twice()).toBe(1);
    expect(await listed()).toMatchObject({ status: 'suspended', verified_at: null });
    await expect.poll(async () => (await get('lasting.example.org', '/lasting.txt'))[0]).toBe(404);
    expect(await twice()).toBe(0);

    records.set(name, domain.dns_record.value);
    expect((await service.call<Domain>('GET', `/v1/domains/${domain.id}`)).response.status).toBe('verified');
    await expect.poll(async () => (await get('lasting.example.org', '/lasting.txt'))[0]).toBe(200);
  });

  it.each([
    '',
    'localhost',
    '127.0.0.1',
    '[::1]',
    'a b.example',
    'x..example.org',
    '-a.example',
    `${'a'.repeat(64)}.example`,
    'a/b.example',
  ])('rejects the host %j', async (host) => {
    const httpResponse = await add({ host });
    expect([httpResponse.status, httpResponse.error.path]).toEqual([400, 'host']);
  });
});

it('a Host header that is too long for a domain is neither looked up nor cached', async () => {
  const asked: string[] = [];
  const metadata = {
    get db(): never {
      asked.push('database');
      throw new Error('asked');
    },
  };
  const domains = new Domains(metadata as unknown as Metadata, Date.now, undefined);
  expect(await domains.findVerified(`${'a'.repeat(15_000)}.example.org`)).toBeUndefined();
  expect(asked).toEqual([]);
  await expect(domains.findVerified('files.example.org')).rejects.toThrow('asked');
});
