import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withMetadata } from './change-key.js';
import { TestService } from './support.js';

const MINUTE = 60_000;
let service: TestService;
let key: { id: string; secret: string };
beforeEach(async () => {
  service = await TestService.start();
  key = await service.newKey(['blob:read'], []);
});
afterEach(async () => {
  await service.advanceClock(0);
  await service.stop();
});

const use = async (credential = key.secret) => (await service.call('GET', '/v1/files', { credential })).status;
const stored = () =>
  withMetadata(service.dataDir, async ({ db }) => {
    const row = await db.selectFrom('api_keys').select('last_used_at').where('id', '=', key.id).executeTakeFirstOrThrow();
    return row.last_used_at;
  });
/** Authenticates in the process whose uses `flushUses` writes. */
const useHere = async () => {
  const { keys } = service.service.core;
  keys.recordUse((await keys.authenticate(key.secret)).key);
};
const flush = () => service.service.core.keys.flushUses();

describe('last_used_at', () => {
  it('is in the list at once, and written when the service stops', async () => {
    const before = service.service.core.now();
    await useHere();
    const listed = (await service.service.core.keys.list('main')).find(({ id }) => id === key.id)!;
    expect(listed.lastUsedAt).toBeGreaterThanOrEqual(before);
    expect(await stored()).toBe(null);
    await service.close();
    service = await TestService.start({ dataDir: service.dataDir });
    expect(await stored()).toBe(listed.lastUsedAt);
  });

  it('is written without a stop, by every replica', async () => {
    await use();
    await expect.poll(stored, { timeout: 15_000 }).not.toBe(null);
  });

  it('is written at most once in five minutes', async () => {
    await useHere();
    await flush();
    const first = await stored();
    await service.advanceClock(4 * MINUTE);
    await useHere();
    await flush();
    expect(await stored()).toBe(first);
    await service.advanceClock(6 * MINUTE);
    await useHere();
    await flush();
    expect(await stored()).toBeGreaterThanOrEqual(first! + 5 * MINUTE);
  });

  it('is never set back by a replica with an older use', async () => {
    await useHere();
    const later = service.service.core.now() + MINUTE;
    await withMetadata(service.dataDir, (metadata) =>
      metadata.write((query) => query.updateTable('api_keys').set({ last_used_at: later }).where('id', '=', key.id).execute()),
    );
    await flush();
    expect(await stored()).toBe(later);
  });

  it('does not change by requests that are refused', async () => {
    const elsewhere = await service.newKey(['blob:read'], ['203.0.113.7']);
    expect(await use(elsewhere.secret)).toBe(403);
    const listed = (await service.service.core.keys.list('main')).find(({ id }) => id === elsewhere.id)!;
    expect(listed.lastUsedAt).toBe(null);
  });
});
