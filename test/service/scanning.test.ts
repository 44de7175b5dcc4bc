import { beforeEach, describe, expect, it } from 'vitest';
import { startScanner } from '../support/clamd.js';
import { FakeClamd, STREAM_MAX_BYTES, TEST_VIRUS } from '../support/fake-clamd.js';
import { BACKEND } from './backend.js';
import { emptyPng } from './image-samples.js';
import { recordingLogger } from './recording-logger.js';
import { contentOf, putNew, scannedServices, stateOf } from './scanned-service.js';
import { TestService } from './support.js';
import { WebhookReceiver } from './webhook-receiver.js';

const { closers, startService, startFake } = scannedServices();

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
    for (const query of ['', '?w=10']) {
      const deliver = () => service.call('GET', `/v1/files/${image.id}/content${query}`);
      // Each replica notices for itself that the scanner is gone, and refuses the file until then.
      let response = await deliver();
      await expect.poll(async () => (response = await deliver()).status).toBe(200);
      // A cache must not deliver the file after it was found infected.
      expect(response.headers.get('cache-control')).toBe('no-store');
    }
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
