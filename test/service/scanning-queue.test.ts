import { describe, expect, it } from 'vitest';
import { SCAN_LEASE_MS } from '../../server/service/storage/scans/scan-queue.js';
import { retryDelay } from '../../server/service/scanning/scanner.js';
import { freePort } from '../support/ports.js';
import { BACKEND } from './backend.js';
import { putNew, scannedServices, stateOf } from './scanned-service.js';
import type { TestService } from './support.js';

const { closers, startService, startFake } = scannedServices();

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
