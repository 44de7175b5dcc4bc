import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import Libsql from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Metadata } from '../../server/service/drivers/metadata/metadata.js';
import { openSqlite } from '../../server/service/drivers/metadata/sqlite.js';
import { PasswordHasher } from '../../server/service/identity/users/passwords.js';
import { SharePasswords } from '../../server/service/sharing/share-passwords.js';

const MINUTE = 60_000;
let folder: string;
let opened: Metadata;
let stored: string;
/** The clock of the database, ms. */
let time = 1_000_000;
let passwords: SharePasswords;
/** Cheap hashes, because the tests count attempts. */
const hasher = new PasswordHasher({ logN: 10, maxWaiting: 1000 });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-passwords-'));
  opened = await openSqlite(Libsql, join(folder, 'metadata.db'), Date.now);
  stored = await hasher.hash('right');
  const clocked = new Proxy(opened, {
    get: (metadata, name) => (name === 'clock' ? sql<number>`cast(${time} as integer)` : Reflect.get(metadata, name)),
  });
  passwords = new SharePasswords(clocked, hasher);
});
afterAll(async () => {
  await opened.close();
  await rm(folder, { recursive: true, force: true });
});

let shares = 0;
const newShare = () => `share_${shares++}`;
let guesses = 0;
/** Sends different wrong passwords. @returns how many were compared. */
async function guess(share: string, count: number, address = '192.0.2.1'): Promise<number> {
  const tries = Array.from({ length: count }, () => passwords.isCorrect(share, stored, `wrong ${guesses++}`, address));
  return (await Promise.allSettled(tries)).filter((one) => one.status === 'fulfilled').length;
}

describe('wrong passwords of a share', () => {
  it('are compared ten times within a quarter of an hour', async () => {
    const share = newShare();
    expect(await guess(share, 3)).toBe(3);
    time += 14 * MINUTE;
    expect(await guess(share, 200)).toBe(7);
    // The first three attempts are older than a quarter of an hour.
    time += 2 * MINUTE;
    expect(await guess(share, 5)).toBe(0);
    await expect(passwords.isCorrect(share, stored, 'wrong', '192.0.2.1')).rejects.toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      details: { limit: 10, retry_after: 13 * 60 },
    });
    // Rejected attempts do not extend the window.
    time += 13 * MINUTE;
    expect(await guess(share, 200)).toBe(10);
  });

  it('are counted for each share and each network', async () => {
    const share = newShare();
    expect(await guess(share, 11)).toBe(10);
    expect(await guess(share, 11, '::ffff:192.0.2.1')).toBe(0);
    expect(await guess(share, 11, '192.0.2.2')).toBe(10);
    expect(await guess(newShare(), 11)).toBe(10);
  });

  it('leave ten attempts if the right password is among them', async () => {
    const share = newShare();
    expect(await passwords.isCorrect(share, stored, 'right', '192.0.2.1')).toBe(true);
    const rows = await opened.db.selectFrom('counters').select('used').where('id', 'like', `guess:${share}:%`).execute();
    expect(rows.map((row) => row.used)).toEqual([0]);
    expect(await guess(share, 200)).toBe(10);
  });
});

describe('wrong passwords of a share from many networks', () => {
  const networkAt = (index: number) => `198.51.100.${index}`;

  /** Creates a share with a number of wrong passwords in the last hour. */
  async function shareWithGuesses(used: number): Promise<string> {
    const share = newShare();
    const row = { id: `guess:${share}`, used, ends_at: time + 60 * MINUTE };
    await opened.db.insertInto('counters').values(row).execute();
    return share;
  }

  it('leave each network one attempt', async () => {
    const share = await shareWithGuesses(495);
    expect(await guess(share, 5, networkAt(0))).toBe(5);
    expect(await guess(share, 5, networkAt(0))).toBe(0);
    expect(await guess(share, 11, networkAt(1))).toBe(1);
    expect(await passwords.isCorrect(share, stored, 'right', networkAt(2))).toBe(true);
    expect(await guess(newShare(), 11, networkAt(3))).toBe(10);
    time += 60 * MINUTE;
    expect(await guess(share, 11, networkAt(1))).toBe(10);
  });

  it('are not compared more often if all arrive at once', async () => {
    const share = await shareWithGuesses(490);
    const judged = await Promise.all(Array.from({ length: 5 }, (_, network) => guess(share, 10, networkAt(network))));
    expect(judged.reduce((sum, one) => sum + one)).toBeLessThanOrEqual(10 + 5);
  });
});
