import { FILE } from '../../../../src/protocol/limits.js';
import { assertStillAllowed } from './credential-checks.js';
import { commitBody } from './commit-file.js';
import type { StorageContext } from '../context.js';
import { precheckUpload } from './precheck-upload.js';
import { reserveQuota } from './reserve-quota.js';
import { canPutInOneStep, putSmall } from './put-small.js';
import { HashingStream, tooLarge } from './hashing-stream.js';
import { idempotencyKeyReused, releaseReservation, reserveUpload, settleReservation } from './reservation.js';
import type { Rule } from './upload-rules.js';
import type { Body, PutOptions, PutResult, StoredFile } from '../types.js';
import { assertNotRevokedAtCommit } from '../../identity/revocation.js';
import type { Storage } from '../../identity/credential.js';

export async function putFile(
  context: StorageContext,
  storage: Storage,
  key: string,
  body: Body,
  options: PutOptions,
): Promise<PutResult> {
  const { credential, idempotency, size } = options;
  const maxSize = Math.min(options.maxSize ?? FILE.maxBytes, FILE.maxBytes);
  if (canPutInOneStep(context, options)) return putSmall(context, storage, key, body, options);
  let rule: Rule | undefined;
  const reserved = await reserveUpload(context, storage, {
    credential,
    size: options.size ?? 0,
    ...(idempotency && { idempotency }),
    precheck: async (query) => {
      if (size !== undefined && size > maxSize) throw tooLarge(maxSize);
      rule = await precheckUpload(context, query, storage, key, { size: size ?? 0, conditions: options });
    },
  });
  if ('earlier' in reserved) return answerRepeat(reserved.earlier, body, { ...options, maxSize });

  const { reservation } = reserved;
  let meter: HashingStream | undefined;
  try {
    meter = new HashingStream({ ...options, maxSize: Math.min(maxSize, rule?.maxSize ?? Infinity) });
    const held = reserveQuota(context, storage, reservation, body, size);
    await context.bytes.write(reservation.id, meter.passThrough(held), {
      ...(options.size !== undefined && { size: options.size }),
      ...(options.signal && { signal: options.signal }),
    });
    const facts = await meter.summary();
    await options.check?.(facts);
    options.signal?.throwIfAborted();
    return await context.metadata.write(async (query) => {
      const now = context.now();
      await assertStillAllowed(query, credential, reservation.startedAt, now);
      const committed = await commitBody(context, query, storage, key, { id: reservation.id, facts, options });
      await settleReservation(query, reservation, committed.file);
      await assertNotRevokedAtCommit(context.metadata, query, credential);
      return { ...committed, repeated: false };
    });
  } catch (cause) {
    meter?.discard();
    // A failure to undo is left to the sweep; the caller is told why the upload failed.
    await releaseReservation(context, reservation.id, cause).catch(() => {});
    throw cause;
  }
}

/** Reads the body again to make sure that it is the same file; stores nothing. */
async function answerRepeat(earlier: StoredFile, body: Body, options: PutOptions): Promise<PutResult> {
  const { signal, maxSize } = options;
  const meter = new HashingStream({ ...(signal && { signal }), ...(maxSize !== undefined && { maxSize }) });
  const { sha256 } = await meter.readAll(body);
  if (sha256 !== earlier.sha256) throw idempotencyKeyReused('belongs to an upload with other bytes');
  // As it was then: what was new had been made and changed at one time.
  return { file: earlier, replaced: earlier.createdAt !== earlier.updatedAt, repeated: true };
}
