import { FILE } from '../../../../src/protocol/limits.js';
import { assertStillAllowed } from './admission.js';
import { commitBody } from './commit.js';
import type { BlobsContext } from '../context.js';
import { foresee } from './precheck.js';
import { holding } from './reserve-quota.js';
import { isSmall, putSmall } from './put-small.js';
import { Meter, tooLarge } from './hashing-stream.js';
import { keyReused, release, reserve, settle } from './reservation.js';
import type { Rule } from './upload-rules.js';
import type { Body, PutOptions, PutResult, StoredFile } from '../types.js';
import { assertNotRevokedAtCommit } from '../../identity/revocation.js';
import type { Storage } from '../../identity/credential.js';

export async function putFile(
  context: BlobsContext,
  storage: Storage,
  key: string,
  body: Body,
  options: PutOptions,
): Promise<PutResult> {
  const { credential, idempotency, size } = options;
  const maxSize = Math.min(options.maxSize ?? FILE.maxBytes, FILE.maxBytes);
  if (isSmall(context, options)) return putSmall(context, storage, key, body, options);
  let rule: Rule | undefined;
  const reserved = await reserve(context, storage, {
    credential,
    size: options.size ?? 0,
    ...(idempotency && { idempotency }),
    precheck: async (query) => {
      if (size !== undefined && size > maxSize) throw tooLarge(maxSize);
      rule = await foresee(context, query, storage, key, { size: size ?? 0, conditions: options });
    },
  });
  if ('earlier' in reserved) return repeat(reserved.earlier, body, { ...options, maxSize });

  const { reservation } = reserved;
  let meter: Meter | undefined;
  try {
    meter = new Meter({ ...options, maxSize: Math.min(maxSize, rule?.maxSize ?? Infinity) });
    const held = holding(context, storage, reservation, body, size);
    await context.bytes.write(reservation.id, meter.through(held), {
      ...(options.size !== undefined && { size: options.size }),
      ...(options.signal && { signal: options.signal }),
    });
    const facts = await meter.facts();
    await options.check?.(facts);
    options.signal?.throwIfAborted();
    return await context.metadata.write(async (query) => {
      const now = context.now();
      await assertStillAllowed(query, credential, reservation.startedAt, now);
      const committed = await commitBody(context, query, storage, key, { id: reservation.id, facts, options });
      await settle(query, reservation, committed.file);
      await assertNotRevokedAtCommit(context.metadata, query, credential);
      return { ...committed, repeated: false };
    });
  } catch (cause) {
    meter?.drop();
    // A failure to undo is left to the sweep; the caller is told why the upload failed.
    await release(context, reservation.id, cause).catch(() => {});
    throw cause;
  }
}

/** Reads the body again to make sure that it is the same file; stores nothing. */
async function repeat(earlier: StoredFile, body: Body, options: PutOptions): Promise<PutResult> {
  const { signal, maxSize } = options;
  const meter = new Meter({ ...(signal && { signal }), ...(maxSize !== undefined && { maxSize }) });
  const { sha256 } = await meter.measure(body);
  if (sha256 !== earlier.sha256) throw keyReused('belongs to an upload with other bytes');
  // As it was then: what was new had been made and changed at one time.
  return { file: earlier, replaced: earlier.createdAt !== earlier.updatedAt, repeated: true };
}
