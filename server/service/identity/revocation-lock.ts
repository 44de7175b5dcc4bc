import { sql } from 'kysely';
import type { Metadata, Query } from '../drivers/metadata/metadata.js';
import { preparedQuery } from '../drivers/metadata/prepared-queries/prepared-query.js';
import type { Credential } from './credential.js';

// Commits and revocations of a credential exclude each other by an advisory lock. A row lock would not do: PostgreSQL lets readers overtake a
// waiting writer, so parallel uploads could delay a revocation forever. Advisory locks are granted in the order of requests. SQLite runs one
// transaction at a time and needs no lock.

const sharedLock = (id: unknown) => sql`pg_advisory_xact_lock_shared(hashtextextended(${id}, 0))`;

const lockKey = preparedQuery<{ id: string }>()((query, { id }) => query.selectNoFrom(sharedLock(id).as('own')));
const lockToken = preparedQuery<{ id: string }>()((query, { id }) => {
  const creator = query.selectFrom('upload_tokens').select('key_id').where('id', '=', id);
  return query.selectNoFrom([sharedLock(id).as('own'), sharedLock(creator).as('creator')]);
});
const lockKeyPair = preparedQuery<{ id: string }>()((query, { id }) => {
  const creator = query.selectFrom('s3_credentials').select('key_id').where('id', '=', id);
  return query.selectNoFrom([sharedLock(id).as('own'), sharedLock(creator).as('creator')]);
});
const SHARED_LOCKS = { key: lockKey, token: lockToken, s3: lockKeyPair };

/** Delays revocations of a credential and of the key that created it until the transaction ends. Several transactions may hold this lock. */
export async function lockAgainstRevocation({ dialect }: Metadata, query: Query, { kind, id }: Credential): Promise<void> {
  if (dialect === 'postgres') await SHARED_LOCKS[kind].first(query, { id });
}

/** Waits for commits that use the credential and blocks new ones. A revocation must call it first. */
export async function waitForCommits({ dialect }: Metadata, query: Query, id: string): Promise<void> {
  if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(hashtextextended(${id}, 0))`.execute(query);
}
