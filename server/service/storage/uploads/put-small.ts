import { createHash } from 'node:crypto';
import type { Storage } from '../../identity/credential.js';
import { assertNotRevokedAtCommit } from '../../identity/revocation.js';
import { newBlobId } from '../../runtime/ids.js';
import type { StorageContext } from '../context.js';
import { recordFailure } from '../events/record-failure.js';
import { assertQuota } from '../files/usage.js';
import type { Body, BodySummary, PutOptions, PutResult } from '../types.js';
import { commitBody } from './commit-file.js';
import { assertStillAllowed } from './credential-checks.js';
import { assertLength } from './hashing-stream.js';

/**
 * Decides whether a body is collected in memory and stored without a reservation. The body must be short and the store must accept it whole.
 * An upload with a token or an idempotency key needs a reservation, because both are taken before the first byte.
 */
export const canPutInOneStep = ({ bytes }: StorageContext, { size, credential, idempotency }: PutOptions): boolean =>
  size !== undefined && size <= bytes.maxWholeBody && credential.kind !== 'token' && !idempotency;

/** Stores a small body. Nothing is reserved while it arrives, so one transaction checks the quota and commits the file. */
export async function putSmall(
  context: StorageContext,
  storage: Storage,
  key: string,
  body: Body,
  options: PutOptions,
): Promise<PutResult> {
  try {
    return await storeSmall(context, storage, key, body, options);
  } catch (cause) {
    // The caller needs the reason why the upload failed.
    await recordFailure(context, storage.bucketId, key, cause).catch(() => {});
    throw cause;
  }
}

async function storeSmall(
  context: StorageContext,
  storage: Storage,
  key: string,
  body: Body,
  options: PutOptions,
): Promise<PutResult> {
  const { credential, signal } = options;
  const startedAt = context.now();
  const bytes = await collect(body, options);
  const summary = summarize(bytes, options);
  await options.check?.(summary);
  signal?.throwIfAborted();
  const id = newBlobId();
  context.unrecordedBlobs.add(id);
  try {
    await context.bytes.write(id, bytes, signal && { signal });
    return await context.metadata.write(async (query) => {
      await assertStillAllowed(query, credential, startedAt, context.now());
      await assertQuota(query, storage.accountId, summary.size);
      const committed = await commitBody(context, query, storage, key, { id, summary, options });
      await assertNotRevokedAtCommit(context.metadata, query, credential);
      return { ...committed, repeated: false };
    });
  } catch (cause) {
    await deleteUnlessCommitted(context, id).catch(() => {});
    throw cause;
  } finally {
    context.unrecordedBlobs.delete(id);
  }
}

async function collect(body: Body, options: PutOptions): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    assertLength(size, options);
    chunks.push(chunk);
  }
  assertLength(size, options, true);
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size);
}

function summarize(bytes: Uint8Array, { hashers = {} }: PutOptions): BodySummary {
  for (const hasher of Object.values(hashers)) hasher.update(bytes);
  return {
    size: bytes.byteLength,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    md5: createHash('md5').update(bytes).digest('hex'),
    checksums: Object.fromEntries(Object.entries(hashers).map(([name, hasher]) => [name, hasher.digest()])),
  };
}

/** Deletes the bytes of a failed upload. Keeps them if the row exists, because the commit may have succeeded without a response. */
export async function deleteUnlessCommitted(context: StorageContext, id: string): Promise<void> {
  const row = await context.metadata.db.selectFrom('blobs').select('id').where('id', '=', id).executeTakeFirst();
  if (!row) await context.bytes.delete([id]);
}
