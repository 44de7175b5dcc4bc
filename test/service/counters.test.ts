import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Counters } from '../../server/service/identity/limits/counters.js';
import { dayOf, minuteOf } from '../../server/service/identity/limits/windows.js';
import type { Metadata } from '../../server/service/drivers/metadata/metadata.js';
import { openSqlite } from '../../server/service/drivers/metadata/sqlite.js';

let folder: string;
let metadata: Metadata;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-counters-'));
  metadata = await openSqlite(Libsql, join(folder, 'metadata.db'), Date.now);
});
afterEach(async () => {
  await metadata.close();
  await rm(folder, { recursive: true, force: true });
});

const now = Date.parse('2026-11-21T12:00:30Z');

it('a stopping replica returns the unused requests of a day, but not of a minute', async () => {
  const counters = new Counters(metadata, () => now);
  for (const name of ['a', 'b']) await counters.increment(name, dayOf(now), 1000);
  await counters.increment('c', minuteOf(now), 1000);
  const write = vi.spyOn(metadata, 'write');
  await counters.close();
  expect(write).toHaveBeenCalledTimes(2);
  const rows = await metadata.db.selectFrom('counters').select('used').orderBy('id').execute();
  expect(rows.map(({ used }) => used)).toEqual([1, 1, 10]);
});

it('a stopping replica returns other counters if one fails', async () => {
  const counters = new Counters(metadata, () => now);
  for (const name of ['a', 'b', 'c']) await counters.increment(name, dayOf(now), 1000);
  vi.spyOn(metadata, 'write').mockRejectedValueOnce(new Error('away'));
  await counters.close();
  const rows = await metadata.db.selectFrom('counters').select('used').orderBy('id').execute();
  expect(rows.map(({ used }) => used)).toEqual([10, 1, 1]);
});
