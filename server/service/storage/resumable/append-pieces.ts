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

/** The right of one request to move the offset of an upload. */
interface Claim {
  /** The row under the resumable upload, whose parts are the pieces. */
  parts: Upload;
  /** Number of the last piece. */
  lastPiece: number;
  /** ms since 1970. */
  expiresAt: number;
  /** Random id of the request. A newer request replaces it. */
  writer: string;
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
  const { credential, offset, checksum } = options;
  const startedAt = context.now();
  const claim = await claimOffset(context, upload, { credential, offset });
  const smallest = pieceSize(upload.length);
  let size = smallest;
  let stored = offset;
  let number = claim.lastPiece;
  let { expiresAt } = claim;
  while (stored < upload.length && (await cutter.hasMore())) {
    const left = upload.length - stored;
    // A checksum covers the whole request, so its bytes are one piece.
    const maxSize = checksum ? left : Math.min(left, size);
    const from = stored;
    const began = performance.now();
    number += 1;
    const part = await putPart(
      context,
      claim.parts,
      number,
      cutter.piece(maxSize, maxSize === left),
      {
        credential,
        ...(checksum && { hashers: { sum: checksum.hasher } }),
        check: (summary: BodySummary) => assertChecksum(checksum, cutter, summary),
      },
      {
        startedAt,
        size: maxSize,
        hash,
        commit: async (query, bytes) => {
          expiresAt = Math.max(expiresAt, await resumableExpiry(query, credential, context.now()));
          const step = { writer: claim.writer, number, from, to: from + bytes, expiresAt };
          await moveOffset(query, upload.id, step, context.now());
        },
      },
    );
    stored += part.size;
    size = nextPieceSize(size, performance.now() - began, smallest);
  }
  // A request without a piece, at the end of the upload, may carry too many bytes as well.
  if (stored === upload.length && !cutter.failure && (await cutter.hasMore()))
    throw new BlobError('BLOB_FILE_TOO_LARGE', 'There are more bytes than Upload-Length announced.');
  return { ...upload, offset: stored, expiresAt };
}

function assertChecksum(checksum: AppendOptions['checksum'], cutter: PieceCutter, { checksums }: BodySummary): void {
  // The digest of the whole request cannot match a body that broke off.
  if (checksum && cutter.failure) throw cutter.failure.cause;
  checksum?.check(checksums['sum']!);
}

/**
 * Makes this request the only one that may move the offset, and extends the expiry of the upload for its sender.
 * @throws `UPLOAD_OFFSET_MISMATCH`; `STORAGE_FULL` if the rest of the upload does not fit into the quota now; `NOT_FOUND`.
 */
async function claimOffset(
  context: StorageContext,
  upload: Resumable,
  { credential, offset }: { credential: Credential; offset: number },
): Promise<Claim> {
  const writer = randomText(26);
  const isComplete = offset >= upload.length;
  const claim = await context.metadata.write(
    async (query) => {
      if (!(await lockUpload(context, query, upload.id))) return undefined;
      const expires_at = Math.max(upload.expiresAt, await resumableExpiry(query, credential, context.now()));
      const claimed = await query
        .updateTable('resumables')
        .set({ writer, expires_at })
        .where('id', '=', upload.id)
        .where('stored', '=', offset)
        .where('file_json', 'is', null)
        .returning('pieces')
        .executeTakeFirst();
      if (!claimed) return undefined;
      if (!isComplete) assertPiecesLeft(claimed.pieces, offset);
      await query.updateTable('uploads').set({ expires_at }).where('id', '=', upload.id).execute();
      if (!isComplete) await assertQuota(query, upload.accountId, upload.length - offset);
      return { lastPiece: claimed.pieces, expiresAt: expires_at };
    },
    { durable: false },
  );
  const parts = await findUpload(context, upload, upload.id);
  if (claim && parts) return { ...claim, parts, writer };
  const current = await findResumable(context, upload, upload.id);
  if (!current) throw resumableNotFound();
  throw offsetMismatch(current.offset);
}
