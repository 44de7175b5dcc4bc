import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BlobServiceOptions } from '../../server/service/index.js';
import type { FileRecord } from '../../src/protocol/types.js';
import { SCAN_LEASE_MS } from '../../server/service/storage/scans/scan-queue.js';
import { freePort } from '../support/ports.js';
import { startScanner } from '../support/clamd.js';
import { FakeClamd, STREAM_MAX_BYTES, TEST_VIRUS } from '../support/fake-clamd.js';
import { retryDelay } from '../../server/service/scanning/scanner.js';
import { emptyPng } from './image-samples.js';
import { recordingLogger } from './recording-logger.js';
import { BACKEND } from './backend.js';
import { TestService } from './support.js';
import { WebhookReceiver } from './webhook-receiver.js';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function startService(options: BlobServiceOptions): Promise<TestService> {
  const service = await TestService.start(options);
  closers.push(() => service.stop());
  return service;
}
async function startFake(): Promise<FakeClamd> {
  const fake = await FakeClamd.start();
  closers.push(() => fake.stop());
  return fake;
}

const stateOf = async (service: TestService, id: string): Promise<FileRecord> =>
  (await service.call<FileRecord>('GET', `/v1/files/${id}`)).response;
const contentOf = (service: TestService, id: string) => service.call('GET', `/v1/files/${id}/content`);
const putNew = async (service: TestService, path: string, body: BodyInit, query = ''): Promise<FileRecord> => {
  const { response, status, error } = await service.put(`${path}${query}`, body);
  if (status > 201) throw new Error(JSON.stringify(error));
  return response;
};

describe('a service with clamd', () => {
  it('delivers a clean file, keeps an infected one for its owner, and reports both as events', async () => {
    const scanner = await startScanner();
    closers.push(() => scanner.stop());
    const receiver = await WebhookReceiver.start();
    closers.push(() => receiver.close());
    const service = await startService({ scan: scanner.address, outboundAllow: ['127.0.0.1'] });
    await service.call('POST', '/v1/webhooks', { body: { url: receiver.url, events: ['file.scanned'] } });

    const clean = await putNew(service, 'clean.txt', 'hello');
    const infected = await putNew(service, 'infected.txt', `before ${TEST_VIRUS} after`);
    const large = await putNew(service, 'large.bin', Buffer.alloc(STREAM_MAX_BYTES + 1));
    expect(clean.scan).toBe('pending');
    await expect.poll(() => stateOf(service, clean.id)).toMatchObject({ scan: 'clean' });
    await expect.poll(() => stateOf(service, infected.id)).toMatchObject({ scan: 'infected', scan_signature: scanner.signature });
    await expect.poll(() => stateOf(service, large.id)).toMatchObject({ scan: 'too_large' });

    expect(await contentOf(service, clean.id)).toMatchObject({ status: 200 });
    expect(await contentOf(service, infected.id)).toMatchObject({ status: 403, error: { code: 'FILE_INFECTED' } });
    const refused = await contentOf(service, large.id);
    expect(refused).toMatchObject({ status: 409, error: { code: 'FILE_NOT_SCANNED', details: { scan: 'too_large' } } });
    expect(refused.headers.get('retry-after')).toBeNull();

    await expect.poll(() => receiver.received.length).toBe(3);
    const events = receiver.received.map(({ event: { type, data } }) => [type, data.file.path, data.file.scan]);
    expect(events.sort()).toEqual([
      ['file.scanned', 'clean.txt', 'clean'],
      ['file.scanned', 'infected.txt', 'infected'],
      ['file.scanned', 'large.bin', 'too_large'],
    ]);
    expect((await service.call('DELETE', `/v1/files/${infected.id}`)).status).toBe(200);
    expect(await service.paths()).toEqual(['clean.txt', 'large.bin']);
  });
});

describe('a file that is not scanned', () => {
  let fake: FakeClamd;
  let service: TestService;
  beforeEach(async () => {
    fake = await startFake();
    service = await startService({ scan: fake.address });
  });

  it('does not become clean by the result of the bytes that it replaced', async () => {
    const replies: (() => void)[] = [];
    let isHeld = true;
    const verdict = (bytes: Buffer) => (bytes.includes(TEST_VIRUS) ? 'stream: X FOUND' : 'stream: OK');
    fake.answer = (bytes) => (isHeld ? new Promise((resolve) => replies.push(() => resolve(verdict(bytes)))) : verdict(bytes));
    const { id } = await putNew(service, 'r.txt', 'harmless');
    await expect.poll(() => replies.length).toBe(1);
    // Every place of the account is taken, so the scan of the new bytes begins after the result of the old ones.
    const places = BACKEND === 'replicas' ? 6 : 3;
    for (let index = 1; index < places; index++) await putNew(service, `other/${index}.txt`, 'x');
    await expect.poll(() => replies.length).toBe(places);
    await putNew(service, 'r.txt', TEST_VIRUS, '?overwrite=true');
    isHeld = false;
    replies[0]!();
    await expect.poll(() => stateOf(service, id)).toMatchObject({ scan: 'infected' });
    for (const reply of replies) reply();
  });

  it('is scanned again by itself after failures of the scanner', async () => {
    fake.answer = (_, socket) => void socket.destroy();
    const { id } = await putNew(service, 'f.txt', 'hello');
    await expect.poll(() => fake.scanned.length).toBeGreaterThan(0);
    expect((await stateOf(service, id)).scan).toBe('pending');
    fake.answer = () => 'rubbish';
    await expect.poll(() => fake.scanned.length).toBeGreaterThan(1);
    expect((await contentOf(service, id)).status).toBe(409);
    fake.answer = () => 'stream: OK';
    await expect.poll(() => stateOf(service, id)).toMatchObject({ scan: 'clean' });
    expect((await service.call('GET', '/metrics')).status).toBe(200);
  });

  it('is scanned once, although replicas share the queue', async () => {
    const files = await Promise.all(Array.from({ length: 30 }, (_, index) => putNew(service, `n/${index}.txt`, `${index}`)));
    for (const { id } of files) await expect.poll(() => stateOf(service, id)).toMatchObject({ scan: 'clean' });
    expect(fake.scanned.map((bytes) => Number(bytes.toString())).sort((a, b) => a - b)).toEqual(files.map((_, index) => index));
  });
});

describe('a scanner that is unavailable', () => {
  it('blocks files by default, which are scanned once it is back', async () => {
    const fake = await startFake();
    const { port } = fake;
    fake.stop();
    const service = await startService({ scan: `clamd://127.0.0.1:${port}` });
    const { id } = await putNew(service, 'a.txt', 'hello');
    await expect.poll(async () => (await fetch(`${service.ownUrl}/metrics`)).text()).toContain('svc_scanner_available 0');
    expect(await contentOf(service, id)).toMatchObject({ status: 409, error: { code: 'FILE_NOT_SCANNED' } });
    const back = await FakeClamd.start(port);
    closers.push(() => back.stop());
    await expect.poll(() => stateOf(service, id)).toMatchObject({ scan: 'clean' });
    expect((await contentOf(service, id)).status).toBe(200);
  });

  it('lets files through with `allow`, except infected ones, and scans them once it is back', async () => {
    const fake = await startFake();
    const { port } = fake;
    const { logger, text } = recordingLogger();
    const service = await startService({ scan: fake.address, scanUnavailable: 'allow', logger });
    const infected = await putNew(service, 'infected.txt', TEST_VIRUS);
    await expect.poll(() => stateOf(service, infected.id)).toMatchObject({ scan: 'infected' });
    fake.stop();
    const pending = await putNew(service, 'a.txt', `again ${TEST_VIRUS}`);
    await expect.poll(async () => (await contentOf(service, pending.id)).status).toBe(200);
    const image = await putNew(service, 'a.png', await emptyPng(), '?cache_control=public,max-age=9999&visibility=public');
    expect((await stateOf(service, pending.id)).scan).toBe('pending');
    // A cache must not deliver the file after it was found infected.
    for (const query of ['', '?w=10'])
      expect((await service.call('GET', `/v1/files/${image.id}/content${query}`)).headers.get('cache-control')).toBe('no-store');
    expect((await contentOf(service, infected.id)).status).toBe(403);
    expect(text()).toContain('delivered unscanned');
    const back = await FakeClamd.start(port);
    closers.push(() => back.stop());
    await expect.poll(() => stateOf(service, pending.id)).toMatchObject({ scan: 'infected' });
    expect((await contentOf(service, pending.id)).status).toBe(403);
  });

  it('does not count as unavailable if it only fails at one file', async () => {
    const fake = await startFake();
    fake.answer = (_, socket) => void socket.destroy();
    const service = await startService({ scan: fake.address, scanUnavailable: 'allow' });
    const { id } = await putNew(service, 'a.txt', 'hello');
    await expect.poll(() => fake.scanned.length).toBeGreaterThan(1);
    expect((await contentOf(service, id)).status).toBe(409);
  });
});

describe('the queue of scans', () => {
  it('gives a file of a process that died to another one after its lease, and ignores the late result', async () => {
    const service = await startService({ scan: `clamd://127.0.0.1:${await freePort()}` });
    closers.push(() => service.advanceClock(0));
    const { id } = await putNew(service, 'a.txt', 'hello');
    const { scans } = service.service.core.blobs;
    const [first] = await scans.take(4);
    expect(await scans.take(4)).toEqual([]);
    await service.advanceClock(SCAN_LEASE_MS - 5000);
    expect(await scans.renew(first!)).toBe(true);
    await service.advanceClock(2 * SCAN_LEASE_MS - 10_000);
    expect(await scans.take(4)).toEqual([]);
    await service.advanceClock(2 * SCAN_LEASE_MS);
    const [second] = await scans.take(4);
    expect(second!.id).toBe(id);
    expect(await scans.renew(first!)).toBe(false);
    expect(await scans.settle(first!, { state: 'clean' })).toBe(false);
    expect((await stateOf(service, id)).scan).toBe('pending');
    expect(await scans.settle(second!, { state: 'infected', signature: 'X' })).toBe(true);
    expect(await stateOf(service, id)).toMatchObject({ scan: 'infected', scan_signature: 'X' });
    expect(await scans.settle(second!, { state: 'clean' })).toBe(false);
  });
});

describe('the places for scans', () => {
  const storeAs = (service: TestService, account: string, count: number) =>
    service.service.core.write((query) =>
      query
        .updateTable('files')
        .set({ account_id: account })
        .where(
          'key',
          'in',
          Array.from({ length: count }, (_, index) => `${account}/${index}.txt`),
        )
        .execute(),
    );

  it('are shared by the accounts in turn, however many files one of them has', async () => {
    const service = await startService({ scan: `clamd://127.0.0.1:${await freePort()}` });
    const { scans } = service.service.core.blobs;
    for (const [account, count] of [
      ['many', 8],
      ['some', 2],
      ['one', 1],
    ] as const) {
      for (let index = 0; index < count; index++) await putNew(service, `${account}/${index}.txt`, 'x');
      await storeAs(service, account, count);
    }
    const accountsOf = (tasks: { accountId: string }[]) => tasks.map(({ accountId }) => accountId).sort();
    expect(accountsOf(await scans.take(3))).toEqual(['many', 'one', 'some']);
    expect(accountsOf(await scans.take(3))).toEqual(['many', 'many', 'some']);
    expect(await scans.take(3, () => true)).toEqual([]);
    expect(await scans.take(3, (_, taken) => taken === 2)).toHaveLength(2);
    expect(await scans.take(9)).toHaveLength(3);
    expect(await scans.take(9)).toEqual([]);
  });

  it('are never all taken by the slow files of one account', async () => {
    const fake = await startFake();
    fake.answer = (bytes) => (bytes.includes('slow') ? undefined : 'stream: OK');
    const service = await startService({ scan: fake.address });
    const fast = await putNew(service, 'fast.txt', 'x');
    await expect.poll(() => stateOf(service, fast.id)).toMatchObject({ scan: 'clean' });
    for (let index = 0; index < 12; index++) await putNew(service, `slow/${index}.txt`, 'slow');
    const places = BACKEND === 'replicas' ? 6 : 3;
    await expect.poll(() => fake.scanned.length).toBe(1 + places);
    await service.service.core.write((query) =>
      query
        .updateTable('files')
        .set({ account_id: 'other', scan: 'pending', scan_due_at: 1 })
        .where('id', '=', fast.id)
        .execute(),
    );
    const scan = () =>
      service.service.core.write(
        async (query) => (await query.selectFrom('files').select('scan').where('id', '=', fast.id).executeTakeFirst())?.scan,
      );
    await expect.poll(scan, { timeout: 10_000 }).toBe('clean');
    expect(fake.scanned.filter((bytes) => bytes.includes('slow'))).toHaveLength(places);
  });

  it('are free for long after the failed scan of a slow file', () => {
    expect(retryDelay(0, 10)).toBe(2000);
    expect(retryDelay(3, 10)).toBe(16_000);
    expect(retryDelay(99, 10)).toBe(300_000);
    expect(retryDelay(0, 120_000.4)).toBe(1_080_004);
    expect(retryDelay(0, 9e9)).toBe(3_600_000);
  });
});

describe('a file that was stored before scanning was on', () => {
  it('is delivered without a state, and must be scanned once its bytes are replaced', async () => {
    const first = await TestService.start();
    const { dataDir } = first;
    const old = await putNew(first, 'old.txt', 'hello');
    await first.close();
    const fake = await startFake();
    fake.answer = () => undefined;
    const service = await startService({ dataDir, scan: fake.address });
    expect(await stateOf(service, old.id)).not.toHaveProperty('scan');
    expect((await contentOf(service, old.id)).status).toBe(200);
    expect((await putNew(service, 'old.txt', 'new', '?overwrite=true')).scan).toBe('pending');
    expect((await contentOf(service, old.id)).status).toBe(409);
  });
});

describe('a service without a scanner', () => {
  it('delivers new files without a state', async () => {
    const service = await startService({});
    const file = await putNew(service, 'a.txt', 'hello');
    expect(file).not.toHaveProperty('scan');
    expect((await contentOf(service, file.id)).status).toBe(200);
  });

  it.each([
    ['block', 409],
    ['allow', 200],
  ] as const)('with `%s` delivers files that waited when scanning was turned off with %i', async (scanUnavailable, status) => {
    const service = await startService({ scanUnavailable });
    const pending = await putNew(service, 'a.txt', 'hello');
    const { core } = service.service;
    await core.write((query) => query.updateTable('files').set({ scan: 'pending', scan_due_at: 1 }).execute());
    expect((await contentOf(service, pending.id)).status).toBe(status);
  });
});

it('a service refuses an invalid option of the scan', async () => {
  await expect(TestService.start({ scan: 'http://127.0.0.1' })).rejects.toThrow('clamd://host:port');
  await expect(TestService.start({ scanUnavailable: 'maybe' as 'allow' })).rejects.toThrow('block or allow');
});
