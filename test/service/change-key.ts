import { join } from 'node:path';
import Libsql from 'libsql';
import pg from 'pg';
import type { Metadata } from '../../server/service/drivers/metadata/metadata.js';
import { openPostgres } from '../../server/service/drivers/metadata/postgres.js';
import { openSqlite } from '../../server/service/drivers/metadata/sqlite.js';
import { storageFor } from './backend.js';

/** Opens the database of a running service. */
export async function openMetadata(dataDir: string): Promise<Metadata> {
  const { databaseUrl } = await storageFor(dataDir);
  return databaseUrl === undefined
    ? openSqlite(Libsql, join(dataDir, 'metadata.db'), Date.now)
    : openPostgres(pg, databaseUrl, Date.now);
}

/** Runs a function on the database of a running service. */
export async function withMetadata<T>(dataDir: string, work: (metadata: Metadata) => Promise<T>): Promise<T> {
  const metadata = await openMetadata(dataDir);
  return work(metadata).finally(() => metadata.close());
}

/** Rights of an API key. */
interface KeyRights {
  scopes?: readonly string[];
  allowedIps?: readonly string[];
}

/** Changes the rights of an API key in the database of a service, like a future `PATCH` of the key. */
export const changeKey = (dataDir: string, id: string, rights: KeyRights): Promise<void> =>
  withMetadata(dataDir, (metadata) => changeKeyIn(metadata, id, rights));

/** Changes the rights of an API key like `changeKey`, in an open database. */
export async function changeKeyIn(metadata: Metadata, id: string, { scopes, allowedIps }: KeyRights): Promise<void> {
  const changes = {
    ...(scopes && { scopes_json: JSON.stringify(scopes) }),
    ...(allowedIps && { allowed_ips_json: JSON.stringify(allowedIps) }),
  };
  await metadata.write((query) => query.updateTable('api_keys').set(changes).where('id', '=', id).execute());
}
