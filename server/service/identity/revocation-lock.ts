import { sql } from 'kysely';
import type { Metadata, Query } from '../drivers/metadata/metadata.js';
import { statement } from '../drivers/metadata/prepared-query.js';
import type { Credential } from './credential.js';

// Commits and revocations wait for one another at a lock of the credential that is no lock of its row: PostgreSQL lets whoever reads a row pass a
// writer that waits for it, so that enough parallel uploads would keep a revocation waiting for good. These locks are given in the order of
// asking. SQLite runs one transaction at a time and needs none.

const heldByCommit = (id: unknown) => sql`pg_advisory_xact_lock_shared(hashtextextended(${id}, 0))`;

const ofKey = statement<{ id: string }>()((query, { id }) => query.selectNoFrom(heldByCommit(id).as('own')));
const ofToken = statement<{ id: string }>()((query, { id }) => {
  const creator = query.selectFrom('upload_tokens').select('key_id').where('id', '=', id);
  return query.selectNoFrom([heldByCommit(id).as('own'), heldByCommit(creator).as('creator')]);
});
const ofPair = statement<{ id: string }>()((query, { id }) => {
  const creator = query.selectFrom('s3_credentials').select('key_id').where('id', '=', id);
  return query.selectNoFrom([heldByCommit(id).as('own'), heldByCommit(creator).as('creator')]);
});
const HELD_BY_COMMIT = { key: ofKey, token: ofToken, s3: ofPair };

/** Lets no revocation of a credential, or of the key that created it, be answered before the transaction has ended. Others may do the same. */
export async function holdOffRevocation({ dialect }: Metadata, query: Query, { kind, id }: Credential): Promise<void> {
  if (dialect === 'postgres') await HELD_BY_COMMIT[kind].first(query, { id });
}

/** First step of a revocation: waits until the commits have ended that hold it off, and lets no other pass meanwhile. */
export async function awaitCommits({ dialect }: Metadata, query: Query, id: string): Promise<void> {
  if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(hashtextextended(${id}, 0))`.execute(query);
}
