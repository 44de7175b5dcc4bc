import { once } from 'node:events';
import { request as send } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StatsRecord } from '../../src/protocol/types.js';
import { TestService } from './support.js';
import { placeOf, TusWire } from './tus-wire.js';

const QUOTA = 100_000;
let service: TestService;
beforeAll(async () => void (service = await TestService.start({ quotaBytes: QUOTA })));
afterAll(() => service.stop());

const wire = new TusWire(() => service);
const put = (path: string, size: number) => service.put(path, new Uint8Array(size));
const stats = async () => (await service.call<StatsRecord>('GET', '/v1/stats')).response;

describe('the storage quota', () => {
  it('lets parallel uploads fill it and not pass it', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => put(`race/${index}.bin`, 10_000)));
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(10);
    const refused = answers.filter((answer) => answer.status !== 201);
    for (const { status, error } of refused) {
      expect([status, error.code]).toEqual([507, 'STORAGE_FULL']);
      expect(error.details).toMatchObject({ quota_bytes: QUOTA });
    }
    expect(await stats()).toMatchObject({ files: 10, bytes: QUOTA, quota_bytes: QUOTA });
    for (const { response } of answers.filter((answer) => answer.status === 201))
      await service.call('DELETE', `/v1/files/${response.id}`);
    expect(await stats()).toMatchObject({ files: 0, bytes: 0 });
  });

  it('holds what a resumable upload announced, and frees it when the upload is abandoned', async () => {
    const made = await wire.create({ length: 90_000, describe: { filename: 'held.bin' } });
    expect(made.status).toBe(201);
    await wire.send(placeOf(made), 0, new Uint8Array(40_000));
    expect((await put('too-much.bin', 10_001)).status).toBe(507);
    const fits = await put('fits.bin', 10_000);
    expect(fits.status).toBe(201);
    expect((await wire.create({ length: 1, describe: { filename: 'no.bin' } })).status).toBe(507);
    await service.call('DELETE', placeOf(made), { headers: { 'Tus-Resumable': '1.0.0' } });
    const again = await wire.create({ length: 90_000, describe: { filename: 'again.bin' } });
    expect((await wire.send(placeOf(again), 0, new Uint8Array(90_000))).status).toBe(200);
    expect(await stats()).toMatchObject({ bytes: QUOTA });
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
  ])('refuses a body without end as soon as it is full: %s', async (_name, method, path, headers, first) => {
    const before = [await stats(), await service.blobs()];
    const request = send(`${service.url}/v1/files/${path}`.replace(/\/$/, ''), {
      method,
      headers: { ...headers, Authorization: `Bearer ${service.key}` },
    });
    const answered = once(request, 'response') as Promise<[IncomingMessage]>;
    // More than the quota, and no end: who judges at the end never answers.
    request.write(first);
    request.write(Buffer.alloc(QUOTA + 1));
    const [answer] = await answered;
    expect([answer.statusCode, await json(answer)]).toMatchObject([
      507,
      { code: 'STORAGE_FULL', details: { quota_bytes: QUOTA } },
    ]);
    request.destroy();
    await expect.poll(async () => [await stats(), await service.blobs()]).toEqual(before);
  });

  it('counts what was sent without a length when it has come', async () => {
    const before = await stats();
    const answer = await service.put('chunked.bin', new Blob([new Uint8Array(50)]).stream() as unknown as BodyInit);
    expect([answer.status, answer.error.code]).toEqual([507, 'STORAGE_FULL']);
    expect(await stats()).toEqual(before);
  });
});
