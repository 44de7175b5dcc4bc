import { createHash } from 'node:crypto';
import { BlobError } from '../../../../src/protocol/errors.js';
import { IDEMPOTENCY } from '../../../../src/protocol/limits.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import { preparedQuery } from '../../drivers/metadata/prepared-queries/prepared-query.js';
import type { Credential, Storage } from '../../identity/credential.js';
import { assertMayRepeat } from '../../identity/token-uses.js';
import type { Idempotency, StoredFile } from '../types.js';

/** Computes the id of the row of an idempotency key: a hash of the bucket and the client's key. */
export const idempotencyIdOf = (storage: Storage, key: string): string =>
  createHash('sha256').update(`${storage.bucketId}\n${key}`).digest('hex');

const deleteExpired = preparedQuery<{ id: string; before: number }>()((query, { id, before }) =>
  query.deleteFrom('idempotency').where('id', '=', id).where('created_at', '<', before),
);

const insertKey = preparedQuery<{ id: string; name: string; token_id: string | null; created_at: number }>()(
  (query, { id, name, token_id, created_at }) =>
    query
      .insertInto('idempotency')
      .values({ id, name, token_id, created_at })
      .onConflict((conflict) => conflict.column('id').doNothing()),
);

const setResult = preparedQuery<{ id: string; result: string }>()((query, { id, result }) =>
  query.updateTable('idempotency').set({ result_json: result }).where('id', '=', id),
);

/**
 * Claims an idempotency key for an upload.
 * @param id see `idempotencyId`.
 * @returns `claimed` for a new key, `running` while an upload with this key runs, or the file that an earlier upload stored.
 * @throws `IDEMPOTENCY_KEY_REUSED` if the key belongs to a file with another name; `BLOB_UPLOAD_TOKEN_INVALID` if the credential may not
 * receive the earlier result.
 */
export async function claimIdempotencyKey(
  query: Query,
  id: string,
  idempotency: Idempotency,
  credential: Credential,
  now: number,
): Promise<'claimed' | 'running' | StoredFile> {
  await deleteExpired.run(query, { id, before: now - IDEMPOTENCY.keepSeconds * 1000 });
  const token_id = credential.kind === 'token' ? credential.id : null;
  if ((await insertKey.run(query, { id, name: idempotency.name, token_id, created_at: now })) > 0) return 'claimed';
  return (await findEarlier(query, id, idempotency, credential, now))!;
}

/**
 * Finds the upload with an idempotency key, without claiming the key.
 * @returns `running` while it runs, its file, or undefined if there is none.
 * @throws as `claimIdempotencyKey`.
 */
export async function findEarlier(
  query: Query,
  id: string,
  idempotency: Pick<Idempotency, 'name'>,
  credential: Credential,
  now: number,
): Promise<'running' | StoredFile | undefined> {
  const row = await query.selectFrom('idempotency').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row || row.created_at < now - IDEMPOTENCY.keepSeconds * 1000) return undefined;
  if (row.name !== idempotency.name) throw idempotencyKeyReused('belongs to an upload with another name');
  if (row.result_json === null) return 'running';
  await assertMayRepeat(query, credential, row.token_id, now);
  return JSON.parse(row.result_json) as StoredFile;
}

/** Stores the result of an upload under its key, in the transaction that commits the file. */
export async function recordResult(query: Query, id: string, file: StoredFile): Promise<void> {
  await setResult.run(query, { id, result: JSON.stringify(file) });
}

/** Frees a key whose upload has no result. */
export async function freeIdempotencyKey(query: Query, id: string): Promise<void> {
  await query.deleteFrom('idempotency').where('id', '=', id).where('result_json', 'is', null).execute();
}

export const uploadStillRunning = (): BlobError =>
  new BlobError('OPERATION_IN_PROGRESS', 'An upload with this Idempotency-Key is still running. Try again when it has ended.', {
    details: { retry_after: 1 },
  });

/** @param problem such as "belongs to an upload with another name". */
export const idempotencyKeyReused = (problem: string): BlobError =>
  new BlobError('IDEMPOTENCY_KEY_REUSED', `This Idempotency-Key ${problem}.`);
