import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely';
import Libsql from 'libsql';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { S3Credentials } from '../../server/service/identity/s3-credentials.js';
import { UploadTokens } from '../../server/service/identity/upload-tokens.js';
import { ApiKeys } from '../../server/service/identity/keys/api-keys.js';
import { openPostgres } from '../../server/service/drivers/metadata/postgres.js';
import { migrate } from '../../server/service/drivers/metadata/schema.js';
import { openSqlite } from '../../server/service/drivers/metadata/sqlite.js';
import type { Tables } from '../../server/service/drivers/metadata/tables.js';
import { PasswordHasher } from '../../server/service/identity/users/passwords.js';
import { Shares } from '../../server/service/sharing/shares.js';
import { createDatabase } from '../support/postgres.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-migrations-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const DATABASES = {
  sqlite: {
    place: async () => join(folder, 'old.db'),
    bare: (place: string) => new Kysely<Tables>({ dialect: new SqliteDialect({ database: new Libsql(place) as never }) }),
    open: (place: string) => openSqlite(Libsql, place, Date.now),
  },
  postgres: {
    place: () => createDatabase(),
    bare: (place: string) =>
      new Kysely<Tables>({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: place }) }) }),
    open: (place: string) => openPostgres(pg, place, Date.now),
  },
};
/** The last version without provenance. */
const BEFORE_PROVENANCE = 9;

describe.each(['sqlite', 'postgres'] as const)('a %s database from before provenance was recorded', (dialect) => {
  it('keeps its tokens bound to their key, and its key pairs and shares independent', async () => {
    const { place, bare, open } = DATABASES[dialect];
    const address = await place();
    const old = bare(address);
    await migrate(old, dialect, 1, BEFORE_PROVENANCE);
    const later = Date.now() + 60_000;
    for (const statement of [
      `insert into accounts (id, name, created_at) values ('main', 'main', 1)`,
      `insert into buckets (id, account_id, name, is_main, settings_json, created_at) values ('b', 'main', 'main', 1, '{}', 1)`,
      `insert into api_keys (id, account_id, name, secret_hash, scopes_json, allowed_ips_json, created_at)
        values ('key_1', 'main', 'k', 'h', '["blob:read","blob:write"]', '[]', 1)`,
      `insert into s3_credentials (id, account_id, name, secret, read_only, created_at) values ('SVC1', 'main', 'p', '', 0, 1)`,
      `insert into shares (id, account_id, bucket_id, path, downloads, created_at) values ('share_1', 'main', 'b', 'a.txt', 0, 1)`,
      `insert into upload_tokens (id, account_id, bucket_id, key_id, secret_hash, overwrite, max_uses, uses, expires_at, created_at)
        values ('tok_1', 'main', 'b', 'key_1', 'h', 0, 5, 1, ${later}, 1)`,
    ])
      await sql.raw(statement).execute(old);
    await old.destroy();

    const metadata = await open(address);
    try {
      const storage = { accountId: 'main', bucketId: 'b' };
      const [keys, tokens] = [new ApiKeys(metadata, Date.now), new UploadTokens(metadata, Date.now)];
      const [pairs, shares] = [
        new S3Credentials(metadata, new Uint8Array(32)),
        new Shares(metadata, Date.now, new PasswordHasher(), new Uint8Array(32)),
      ];
      expect(await tokens.countActive(storage)).toBe(1);
      expect(await keys.revoke('main', 'key_1')).toEqual({ uploadTokens: 1, s3Credentials: [], shares: [], webhooks: [] });
      expect(await tokens.countActive(storage)).toBe(0);
      expect(await tokens.get(storage, 'tok_1')).toMatchObject({ uses: 1, max_uses: 5 });
      expect((await pairs.list('main')).map(({ id, readOnly, mayRead }) => [id, readOnly, mayRead])).toEqual([
        ['SVC1', false, true],
      ]);
      expect(await shares.open('share_1', { address: '192.0.2.1' })).toMatchObject({ id: 'share_1', path: 'a.txt' });
    } finally {
      await metadata.close();
    }
  });
});

/** The last version without the bytes of unfinished uploads. */
const BEFORE_BYTES = 12;

it.each(['sqlite', 'postgres'] as const)(
  'a %s database of an older version gets the bytes of its unfinished uploads',
  async (dialect) => {
    const { place, bare, open } = DATABASES[dialect];
    const address = `${await place()}${dialect === 'sqlite' ? '-2' : ''}`;
    const old = bare(address);
    await migrate(old, dialect, 1, BEFORE_BYTES);
    const part = (number: number, size: number) =>
      `insert into parts (upload_id, number, blob_id, size, etag, sha256, checksums_json, created_at)
      values ('up_1', ${number}, 'blob_${number}', ${size}, '', '', '{}', 1)`;
    const upload = (id: string) =>
      `insert into uploads (id, account_id, bucket_id, key, kind, properties_json, state_json, credential_kind, credential_id, created_at)
      values ('${id}', 'main', 'b', 'k', 's3', '{}', '{}', 's3', 'SVC1', 1)`;
    for (const statement of [upload('up_1'), upload('up_2'), part(1, 300), part(2, 45)]) await sql.raw(statement).execute(old);
    await old.destroy();

    const metadata = await open(address);
    const rows = await metadata.db.selectFrom('uploads').select(['id', 'bytes']).orderBy('id').execute();
    await metadata.close();
    expect(rows.map(({ id, bytes }) => [id, Number(bytes)])).toEqual([
      ['up_1', 345],
      ['up_2', 0],
    ]);
  },
);
