import { FILE } from '../../../../src/protocol/limits.js';
import type { Storage } from '../../identity/credential.js';
import { assertNotRevokedAtCommit } from '../../identity/revocation.js';
import type { StorageContext } from '../context.js';
import type { Body, PutOptions, PutResult, StoredFile } from '../types.js';
import { commitBody } from './commit-file.js';
import { assertStillAllowed } from './credential-checks.js';
import { HashingStream, tooLarge } from './hashing-stream.js';
import { idempotencyKeyReused } from './idempotency.js';
import { precheckUpload } from './precheck-upload.js';
import { canPutInOneStep, putSmall } from './put-small.js';
import { releaseReservation } from './release-reservation.js';
import { reserveUpload, settleReservation } from './reservation.js';
import { reserveQuota } from './reserve-quota.js';
import type { Rule } from './upload-rules.js';

/** Stores a body as a file: reserves, streams the bytes to the store, commits the row. A failure releases everything. */
export async function putFile(
  context: StorageContext,
  storage: Storage,
  key: string,
  body: Body,
  options: PutOptions,
): Promise<PutResult> {
  if (canPutInOneStep(context, options)) return putSmall(context, storage, key, body, options);
  const { credential, idempotency, size, signal } = options;
  const maxSize = Math.min(options.maxSize ?? FILE.maxBytes, FILE.maxBytes);
  let rule: Rule | undefined;
  const reserved = await reserveUpload(context, storage, {
    credential,
    key,
    size: size ?? 0,
    ...(idempotency && { idempotency }),
    precheck: async (query) => {
      if (size !== undefined && size > maxSize) throw tooLarge(maxSize);
      rule = await precheckUpload(context, query, storage, key, { size: size ?? 0, conditions: options });
    },
  });
  if ('earlier' in reserved) return respondToRepeat(reserved.earlier, body, { ...options, maxSize });

  const { reservation } = reserved;
  const stream = new HashingStream({ ...options, maxSize: Math.min(maxSize, rule?.maxSize ?? Infinity) });
  try {
    const withQuota = reserveQuota(context, storage, reservation, body, size);
    await context.bytes.write(reservation.id, stream.passThrough(withQuota), {
      ...(size !== undefined && { size }),
      ...(signal && { signal }),
    });
    const summary = await stream.summary();
    await options.check?.(summary);
    signal?.throwIfAborted();
    return await context.metadata.write(async (query) => {
      await assertStillAllowed(query, credential, reservation.startedAt, context.now());
      const committed = await commitBody(context, query, storage, key, { id: reservation.id, summary, options });
      await settleReservation(query, reservation, committed.file);
      await assertNotRevokedAtCommit(context.metadata, query, credential);
      return { ...committed, repeated: false };
    });
  } catch (cause) {
    stream.discard();
    // The sweep repeats a release that fails. The caller needs the reason why the upload failed.
    await releaseReservation(context, reservation.id, cause).catch(() => {});
    throw cause;
  }
}

/** Reads the body of a repeated upload and compares it with the stored file. Stores nothing. */
async function respondToRepeat(earlier: StoredFile, body: Body, options: PutOptions): Promise<PutResult> {
  const { signal, maxSize } = options;
  const stream = new HashingStream({ ...(signal && { signal }), ...(maxSize !== undefined && { maxSize }) });
  const { sha256 } = await stream.readAll(body);
  if (sha256 !== earlier.sha256) throw idempotencyKeyReused('belongs to an upload with other bytes');
  // A new file was created and updated at the same time.
  return { file: earlier, replaced: earlier.createdAt !== earlier.updatedAt, repeated: true };
}
