import { ADMIN_CREATOR } from '../../server/service/identity/creator.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Metadata } from '../../server/service/drivers/metadata/metadata.js';
import { openSqlite } from '../../server/service/drivers/metadata/sqlite.js';
import { Domains, MAX_DOMAINS } from '../../server/service/sharing/domains.js';
import { PasswordHasher } from '../../server/service/identity/users/passwords.js';
import { MAX_SHARES, Shares } from '../../server/service/sharing/shares.js';

const storage = { accountId: 'main', bucketId: 'bucket_main' };
const columns = { account_id: storage.accountId, bucket_id: storage.bucketId, created_at: 1 };
let folder: string;
let metadata: Metadata;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-limits-'));
  metadata = await openSqlite(Libsql, join(folder, 'metadata.db'), Date.now);
});
afterAll(async () => {
  await metadata.close();
  await rm(folder, { recursive: true, force: true });
});

describe('an account', () => {
  it('can have a limited number of unexpired shares', async () => {
    const row = (index: number, expires_at: number | null) => ({
      ...columns,
      id: `share_${index}`,
      path: 'a',
      prefix: null,
      password_hash: null,
      expires_at,
      max_downloads: null,
      downloads: 0,
      key_id: null,
    });
    for (let at = 0; at < MAX_SHARES; at += 1000) {
      const rows = Array.from({ length: 1000 }, (_, index) => row(at + index, at + index === 0 ? 1 : null));
      await metadata.db.insertInto('shares').values(rows).execute();
    }
    const shares = new Shares(metadata, Date.now, new PasswordHasher(), new Uint8Array(32));
    const create = () => shares.create(storage, ADMIN_CREATOR, { path: 'a' }, {});
    const last = await create();
    await expect(create()).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { reason: 'too_many_shares', limit: MAX_SHARES },
    });
    await shares.delete(storage, last.id, ADMIN_CREATOR);
    await create();
  });

  it('can have a limited number of domains', async () => {
    const row = (index: number) => ({ ...columns, id: `domain_${index}`, host: `h${index}.test`, prefix: '', challenge: 'x' });
    const rows = Array.from({ length: MAX_DOMAINS - 1 }, (_, index) => row(index));
    const filled = rows.map((one) => ({ ...one, verified_at: null, checked_at: null }));
    await metadata.db.insertInto('domains').values(filled).execute();
    const domains = new Domains(metadata, Date.now, undefined);
    const last = await domains.create(storage, ADMIN_CREATOR, { host: 'last.test' });
    await expect(domains.create(storage, ADMIN_CREATOR, { host: 'more.test' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { reason: 'too_many_domains', limit: MAX_DOMAINS },
    });
    await domains.delete(storage, last.id, ADMIN_CREATOR);
    await domains.create(storage, ADMIN_CREATOR, { host: 'more.test' });
  });
});
