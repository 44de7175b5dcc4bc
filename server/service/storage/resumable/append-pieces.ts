import { BlobError } from '../../../../src/protocol/errors.js';
import type { Credential } from '../../identity/credential.js';
import { randomText } from '../../runtime/ids.js';
import type { StorageContext } from '../context.js';
import { assertQuota } from '../files/usage.js';
import { findUpload, lockUpload } from '../multipart/multipart-uploads.js';
import { putPart } from '../multipart/parts.js';
import type { BodySummary, Upload } from '../types.js';
import { resumableExpiry } from '../uploads/credential-checks.js';
import type { UploadHash } from '../uploads/upload-hash.js';
import { findResumable, moveOffset, offsetMismatch, resumableNotFound } from './resumable-rows.js';
import type { AppendOptions, Resumable } from './resumable-rows.js';
import { assertPiecesLeft, nextPieceSize, pieceSize } from './upload-pieces.js';
import type { PieceCutter } from './upload-pieces.js';

/** The right of one request to move the offset of an upload. A newer request ends it. */
interface OffsetLease {
  /** The row under the resumable upload, whose parts are the pieces. */
  parts: Upload;
  /** Number of the last piece. */
  lastPiece: number;
  /** ms since 1970. */
  expiresAt: number;
  /** Random id of the request. A newer request replaces it. */
  writer: string;
}

/** A request that appends bytes. */
interface AppendRequest {
  upload: Resumable;
  cutter: PieceCutter;
  options: AppendOptions;
  hash: UploadHash | undefined;
  lease: OffsetLease;
  /** ms since 1970. */
  startedAt: number;
}

/** The state of an upload after its last stored piece. */
interface Progress {
  offset: number;
  /** Number of the last piece. */
  lastPiece: number;
  /** ms since 1970. */
  expiresAt: number;
}

/**
 * Stores the bytes of one request piece by piece at the end of an upload. Each piece is durable before the offset moves.
 * @param hash hash of the whole upload, if this process has received all bytes before.
 * @returns the upload with its new offset. The last piece may be shorter if the connection broke.
 */
export async function appendPieces(
  context: StorageContext,
  upload: Resumable,
  cutter: PieceCutter,
  options: AppendOptions,
  hash: UploadHash | undefined,
): Promise<Resumable> {
  const startedAt = context.now();
  const lease = await leaseOffset(context, upload, options);
  const request: AppendRequest = { upload, cutter, options, hash, lease, startedAt };
  const smallestPiece = pieceSize(upload.length);
  let maxSize = smallestPiece;
  let progress: Progress = { offset: options.offset, lastPiece: lease.lastPiece, expiresAt: lease.expiresAt };
  while (progress.offset < upload.length && (await cutter.hasMore())) {
    const beganAt = performance.now();
    progress = await storePiece(context, request, progress, maxSize);
    maxSize = nextPieceSize(maxSize, performance.now() - beganAt, smallestPiece);
  }
  const { offset, expiresAt } = progress;
  // A request without a piece, at the end of the upload, may carry too many bytes as well.
  if (offset === upload.length && !cutter.failure && (await cutter.hasMore()))
    throw new BlobError('BLOB_FILE_TOO_LARGE', 'The upload has more bytes than its Upload-Length announced.');
  return { ...upload, offset, expiresAt };
}

/** Stores the next piece as a part and moves the offset in the transaction that commits the part. */
async function storePiece(
  context: StorageContext,
  { upload, cutter, options, hash, lease, startedAt }: AppendRequest,
  before: Progress,
  maxSize: number,
): Promise<Progress> {
  const { credential, checksum } = options;
  const missing = upload.length - before.offset;
  // A checksum covers the whole request, so its bytes are one piece.
  const size = checksum ? missing : Math.min(missing, maxSize);
  const lastPiece = before.lastPiece + 1;
  let { expiresAt } = before;
  const part = await putPart(
    context,
    lease.parts,
    lastPiece,
    cutter.piece(size, size === missing),
    {
      credential,
      ...(checksum && { hashers: { sum: checksum.hasher } }),
      check: (summary: BodySummary) => assertChecksum(checksum, cutter, summary),
    },
    {
      startedAt,
      size,
      hash,
      commit: async (query, bytes) => {
        expiresAt = Math.max(expiresAt, await resumableExpiry(query, credential, context.now()));
        const step = { writer: lease.writer, number: lastPiece, from: before.offset, to: before.offset + bytes, expiresAt };
        await moveOffset(query, upload.id, step, context.now());
      },
    },
  );
  return { offset: before.offset + part.size, lastPiece, expiresAt };
}

function assertChecksum(checksum: AppendOptions['checksum'], cutter: PieceCutter, { checksums }: BodySummary): void {
  // The digest covers the whole request, so it cannot match a body that broke off.
  if (checksum && cutter.failure) throw cutter.failure.cause;
  checksum?.check(checksums['sum']!);
}

/**
 * Makes this request the only one that may move the offset, and extends the expiry of the upload for its sender.
 * @throws `UPLOAD_OFFSET_MISMATCH`; `STORAGE_FULL` if the rest of the upload does not fit into the quota now; `NOT_FOUND`.
 */
async function leaseOffset(
  context: StorageContext,
  upload: Resumable,
  { credential, offset }: { credential: Credential; offset: number },
): Promise<OffsetLease> {
  const writer = randomText(26);
  const isComplete = offset >= upload.length;
  const lease = await context.metadata.write(
    async (query) => {
      if (!(await lockUpload(context, query, upload.id))) return undefined;
      const expires_at = Math.max(upload.expiresAt, await resumableExpiry(query, credential, context.now()));
      const leased = await query
        .updateTable('resumables')
        .set({ writer, expires_at })
        .where('id', '=', upload.id)
        .where('stored', '=', offset)
        .where('file_json', 'is', null)
        .returning('pieces')
        .executeTakeFirst();
      if (!leased) return undefined;
      if (!isComplete) assertPiecesLeft(leased.pieces, offset);
      await query.updateTable('uploads').set({ expires_at }).where('id', '=', upload.id).execute();
      if (!isComplete) await assertQuota(query, upload.accountId, upload.length - offset);
      return { lastPiece: leased.pieces, expiresAt: expires_at };
    },
    { durable: false },
  );
  const parts = await findUpload(context, upload, upload.id);
  if (lease && parts) return { ...lease, parts, writer };
  const current = await findResumable(context, upload, upload.id);
  if (!current) throw resumableNotFound();
  throw offsetMismatch(current.offset);
}
