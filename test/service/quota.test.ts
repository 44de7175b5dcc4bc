import { once } from 'node:events';
import { request as send } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StatsRecord } from '../../src/protocol/types.js';
import { TestService } from './support.js';
import { offsetOf, locationOf, TusClient } from './tus-client.js';

const QUOTA = 100_000;
let service: TestService;
beforeAll(async () => void (service = await TestService.start({ quotaBytes: QUOTA })));
afterAll(() => service.stop());

const tusClient = new TusClient(() => service);
const put = (path: string, size: number) => service.put(path, new Uint8Array(size));
const stats = async () => (await service.call<StatsRecord>('GET', '/v1/stats')).response;

describe('the storage quota', () => {
  it('can be filled but not exceeded by parallel uploads', async () => {
    const httpResponses = await Promise.all(Array.from({ length: 20 }, (_, index) => put(`race/${index}.bin`, 10_000)));
    expect(httpResponses.filter((httpResponse) => httpResponse.status === 201)).toHaveLength(10);
    const refused = httpResponses.filter((httpResponse) => httpResponse.status !== 201);
    for (const { status, error } of refused) {
      expect([status, error.code]).toEqual([507, 'STORAGE_FULL']);
      expect(error.details).toMatchObject({ quota_bytes: QUOTA });
    }
    expect(await stats()).toMatchObject({ files: 10, bytes: QUOTA, quota_bytes: QUOTA });
    for (const { response } of httpResponses.filter((httpResponse) => httpResponse.status === 201))
      await service.call('DELETE', `/v1/files/${response.id}`);
    expect(await stats()).toMatchObject({ files: 0, bytes: 0 });
  });

  it('counts the received bytes of a resumable upload, not its announced length', async () => {
    const { token } = await service.mint();
    const created = await tusClient.create({ credential: token, length: 90_000, describe: { filename: 'held.bin' } });
    expect(created.status).toBe(201);
    expect(await stats()).toMatchObject({ uploads_in_progress: 1 });
    await tusClient.send(locationOf(created), 0, new Uint8Array(40_000), { credential: token });
    expect((await put('too-much.bin', 60_001)).status).toBe(507);
    const fits = await put('fits.bin', 60_000);
    expect(fits.status).toBe(201);
    // A request that does not fit is rejected before its body is read. The upload can continue when there is room.
    const refused = await tusClient.send(locationOf(created), 40_000, new Uint8Array(50_000), { credential: token });
    expect([refused.status, refused.error.code]).toEqual([507, 'STORAGE_FULL']);
    expect(offsetOf(await tusClient.head(locationOf(created)))).toBe(40_000);
    await service.call('DELETE', `/v1/files/${fits.response.id}`);
    const done = await tusClient.send(locationOf(created), 40_000, new Uint8Array(50_000), { credential: token });
    expect(done.status).toBe(200);
    await service.call('DELETE', `/v1/files/${done.response.id}`);
    expect(await stats()).toMatchObject({ files: 0, bytes: 0, uploads_in_progress: 0 });
  });

  it('rejects a resumable upload that cannot fit and reserves nothing for it', async () => {
    const { token, id } = await service.mint();
    const refused = await tusClient.create({ credential: token, length: QUOTA + 1 });
    expect([refused.status, refused.error.code]).toEqual([507, 'STORAGE_FULL']);
    expect(await stats()).toMatchObject({ uploads_in_progress: 0 });
    const { uses } = (await service.call<{ uses: number }>('GET', `/v1/upload-tokens/${id}`)).response;
    expect(uses).toBe(0);
  });

  it('is reported to visitors with an upload token without numbers of the account', async () => {
    const { token: credential } = await service.mint({ max_uses: 3 });
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(QUOTA + 1)]), 'a.bin');
    const batch = await service.call<{ results: { code: string }[] }>('POST', '/v1/files/batch', { credential, body: form });
    const refused = [
      (await tusClient.create({ credential, length: QUOTA + 1 })).error,
      (await service.upload(new Uint8Array(QUOTA + 1), 'a.bin', { credential })).error,
      batch.response.results[0],
    ];
    for (const error of refused) {
      expect(error).toMatchObject({ code: 'STORAGE_FULL' });
      expect(JSON.stringify(error)).not.toMatch(/\d{4}|_bytes/);
    }
  });

  it('gets the bytes of a deleted resumable upload back', async () => {
    const created = await tusClient.create({ length: 90_000, describe: { filename: 'held.bin' } });
    await tusClient.send(locationOf(created), 0, new Uint8Array(40_000));
    expect((await put('too-much.bin', QUOTA)).status).toBe(507);
    await service.call('DELETE', locationOf(created), { headers: { 'Tus-Resumable': '1.0.0' } });
    const fits = await put('fits.bin', QUOTA);
    expect(fits.status).toBe(201);
    await service.call('DELETE', `/v1/files/${fits.response.id}`);
  });

  it('is not exceeded by parallel resumable uploads, with bytes in the creation or later', async () => {
    const { token: credential } = await service.mint({ max_uses: 24 });
    const lengths = Array.from({ length: 12 }, () => 15_000);
    const later = await Promise.all(lengths.map((length) => tusClient.create({ credential, length })));
    expect(later.map((httpResponse) => httpResponse.status)).toEqual(lengths.map(() => 201));
    const httpResponses = await Promise.all([
      ...later.map((httpResponse) => tusClient.send(locationOf(httpResponse), 0, new Uint8Array(15_000), { credential })),
      ...lengths.map((length) => tusClient.create({ credential, length, body: new Uint8Array(length) })),
    ]);
    const stored = httpResponses.filter(
      (httpResponse) => httpResponse.status === 200 || (httpResponse.status === 201 && httpResponse.response),
    );
    expect(stored).toHaveLength(6);
    for (const { status, error } of httpResponses)
      if (!stored.some((httpResponse) => httpResponse.error === error))
        expect([status, error.code]).toEqual([507, 'STORAGE_FULL']);
    expect(await stats()).toMatchObject({ files: 6, bytes: 90_000 });
    for (const { response } of stored) await service.call('DELETE', `/v1/files/${response.id}`);
    for (const httpResponse of later)
      await service.call('DELETE', locationOf(httpResponse), { headers: { 'Tus-Resumable': '1.0.0' } });
    await service.service.core.blobs.sweep();
  });

  it('is not reserved for an announced body that does not arrive', async () => {
    const large = await TestService.start({ quotaBytes: 10 * 1024 * 1024 });
    try {
      const request = send(`${large.url}/v1/files/silent.bin`, {
        method: 'PUT',
        headers: { 'Content-Length': 10 * 1024 * 1024, Authorization: `Bearer ${large.key}` },
      });
      request.on('error', () => {});
      request.write('x');
      const running = async () => (await large.call<StatsRecord>('GET', '/v1/stats')).response.uploads_in_progress;
      await expect.poll(running).toBe(1);
      expect((await large.put('other.bin', new Uint8Array(9 * 1024 * 1024))).status).toBe(201);
      request.destroy();
    } finally {
      await large.stop();
    }
  });

  it.each([
    ['chunked, to a path', 'PUT', 'endless.bin', { 'Transfer-Encoding': 'chunked' }, ''],
    [
      'in a form',
      'POST',
      '',
      { 'Content-Type': 'multipart/form-data; boundary=b', 'Content-Length': String(1024 ** 3) },
      '--b\r\nContent-Disposition: form-data; name="file"; filename="endless.bin"\r\n\r\n',
    ],
  ])('rejects an endless body as soon as it is full: %s', async (_name, method, path, headers, first) => {
    const before = [await stats(), await service.blobs()];
    const request = send(`${service.url}/v1/files/${path}`.replace(/\/$/, ''), {
      method,
      headers: { ...headers, Authorization: `Bearer ${service.key}` },
    });
    const responsePromise = once(request, 'response') as Promise<[IncomingMessage]>;
    // The body exceeds the quota and never ends. A service that checked only at the end would never respond.
    request.write(first);
    request.write(Buffer.alloc(QUOTA + 1));
    const [response] = await responsePromise;
    expect([response.statusCode, await json(response)]).toMatchObject([
      507,
      { code: 'STORAGE_FULL', details: { quota_bytes: QUOTA } },
    ]);
    request.destroy();
    await expect.poll(async () => [await stats(), await service.blobs()]).toEqual(before);
  });

  it('is not exceeded by a body without an announced length', async () => {
    const before = await stats();
    const httpResponse = await service.put('chunked.bin', new Blob([new Uint8Array(QUOTA + 1)]).stream() as unknown as BodyInit);
    expect([httpResponse.status, httpResponse.error.code]).toEqual([507, 'STORAGE_FULL']);
    expect(await stats()).toEqual(before);
  });
});
