import type { BlobError } from '../../../../src/protocol/errors.js';
import type { Credential } from '../../identity/credential.js';
import { assertNotRevoked } from '../../identity/revocation.js';
import type { StorageContext } from '../context.js';
import { completeUpload } from '../multipart/complete-upload.js';
import { abortUpload } from '../multipart/multipart-uploads.js';
import type { BodySummary, StoredFile, Upload } from '../types.js';
import { digestMismatch, endResumable, findResumable } from './resumable-rows.js';
import type { Resumable } from './resumable-rows.js';

export interface FinishOptions {
  credential: Credential;
  /** SHA-256 in hex that the whole upload must have. */
  digests: readonly string[];
  /** @param read reads all bytes from the store. @returns the hashes of the whole upload. */
  summary(read: () => Promise<BodySummary>): Promise<BodySummary>;
}

/**
 * Commits the file of a complete upload. If no sender could finish the upload, it is aborted.
 * @param parts the row under the resumable upload.
 * @returns the file, even if another request has committed it.
 */
export async function finishResumable(
  context: StorageContext,
  upload: Resumable,
  parts: Upload,
  { credential, digests, summary }: FinishOptions,
): Promise<StoredFile> {
  const check = ({ sha256 }: BodySummary) => {
    for (const expected of digests) if (expected !== sha256) throw digestMismatch(expected, sha256);
  };
  try {
    const { file } = await completeUpload(
      context,
      parts,
      { credential, overwrite: upload.overwrite, check },
      { summary, commit: (query, committed) => endResumable(query, upload.id, committed, context.now()) },
    );
    context.countUploads(upload.accountId, { uploads: 1 });
    return file;
  } catch (cause) {
    const current = await findResumable(context, upload, upload.id);
    if (current?.file) return current.file;
    if (await isRefusedForGood(context, cause, upload)) {
      context.countUploads(upload.accountId, { failedUploads: 1 });
      await abortUpload(context, parts, cause);
    }
    throw cause;
  }
}

/** Decides whether a refusal holds for every sender. Then the token's use, the quota and the idempotency key are given back. */
async function isRefusedForGood({ metadata }: StorageContext, cause: unknown, { credential }: Resumable): Promise<boolean> {
  const { status = 500, code } = cause as Partial<BlobError>;
  const isAboutSender = status === 401 || code === 'API_KEY_SCOPE_DENIED';
  if (!isAboutSender) return status >= 400 && status < 500;
  // Another sender may finish the upload, but not after the creator was revoked.
  return assertNotRevoked(metadata.db, credential).then(
    () => false,
    (failure: Partial<BlobError>) => failure.status === 401,
  );
}
