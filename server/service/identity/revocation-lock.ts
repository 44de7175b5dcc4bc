import { sql } from 'kysely';
import type { Metadata, Query } from '../drivers/metadata/metadata.js';
import { preparedQuery } from '../drivers/metadata/prepared-queries/prepared-query.js';
import type { Credential } from './credential.js';

// Commits and revocations of a credential exclude each other by an advisory lock. A row lock would not do: PostgreSQL lets readers overtake a
// waiting writer, so parallel uploads could delay a revocation forever. Advisory locks are granted in the order of requests. SQLite runs one
// transaction at a time and needs no lock.

const sharedLock = (id: unknown) => sql`pg_advisory_xact_lock_shared(hashtextextended(${id}, 0))`;

const lockId = preparedQuery<{ id: string }>()((query, { id }) => query.selectNoFrom(sharedLock(id).as('own')));
const lockToken = preparedQuery<{ id: string }>()((query, { id }) => {
  const creator = query.selectFrom('upload_tokens').select('key_id').where('id', '=', id);
  const member = query.selectFrom('upload_tokens').select('member_id').where('id', '=', id);
  const account = query.selectFrom('upload_tokens').select('account_id').where('id', '=', id);
  return query.selectNoFrom([
    sharedLock(id).as('own'),
    sharedLock(creator).as('creator'),
    sharedLock(member).as('member'),
    // An account may have any number of tokens, more than a transaction can lock.
    sharedLock(account).as('account'),
  ]);
});
const lockKeyPair = preparedQuery<{ id: string }>()((query, { id }) => {
  const creator = query.selectFrom('s3_credentials').select('key_id').where('id', '=', id);
  const member = query.selectFrom('s3_credentials').select('member_id').where('id', '=', id);
  return query.selectNoFrom([sharedLock(id).as('own'), sharedLock(creator).as('creator'), sharedLock(member).as('member')]);
});
const SHARED_LOCKS = { key: lockId, token: lockToken, s3: lockKeyPair, session: lockId };

/**
 * Delays revocations of a credential, of the key that created it and of the memberships through which it acts until the transaction ends. Uploads with
 * a token also delay the revocation of all tokens of the account. Several transactions may hold this lock.
 */
export async function lockAgainstRevocation(
  { dialect }: Metadata,
  query: Query,
  { kind, id, member }: Credential,
): Promise<void> {
  if (dialect !== 'postgres') return;
  await SHARED_LOCKS[kind].first(query, { id });
  if (member) await lockId.first(query, { id: member.id });
}

/** Delays revocations of keys, users and memberships until the transaction ends. Only for PostgreSQL. */
export async function lockIdsAgainstRevocation(query: Query, ids: readonly (string | null)[]): Promise<void> {
  for (const id of ids) if (id !== null) await lockId.first(query, { id });
}

/** Waits for commits that use a credential, a membership, or any token of an account, and blocks new ones. A revocation must call it first. */
export async function waitForCommits({ dialect }: Metadata, query: Query, id: string): Promise<void> {
  if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(hashtextextended(${id}, 0))`.execute(query);
}
