import { BlobError } from '../../../../src/protocol/errors.js';
import { UPLOAD_GRACE_SECONDS } from '../../../../src/protocol/limits.js';
import { hasAllowedExtension } from '../../../../src/protocol/file-names.js';
import { baseName, isWithin } from '../../../../src/protocol/paths.js';
import type { UploadTokenRecord } from '../../../../src/protocol/types.js';
import type { Actor } from '../../identity/authenticate.js';
import { tokenConstraint, propertiesFixedByToken } from '../../storage/uploads/placement.js';
import type { Resumable } from '../../storage/blob-storage.js';
import type { RouteContext } from '../context.js';
import { tokenInvalid } from '../../identity/token-uses.js';

export const uploadNotFound = () => new BlobError('NOT_FOUND', 'There is no such upload.');

/**
 * Who may go on with an upload: its maker (for an hour after an expired token began), an API key of the account, or whoever has a valid token
 * that admits the upload and knows its idempotency key. To everybody else it does not exist.
 * @throws `NOT_FOUND`, `BLOB_UPLOAD_TOKEN_INVALID`, `BLOB_UPLOAD_TOKEN_CONSTRAINT`.
 */
export async function assertMayContinue(
  context: RouteContext,
  actor: Actor,
  upload: Resumable,
  idempotencyKey: string | undefined,
): Promise<void> {
  const { token } = actor;
  if (!token) return;
  const { resumable } = context.blobs;
  const isMaker = upload.credential.kind === 'token' && upload.credential.id === token.id;
  if (!isMaker && (idempotencyKey === undefined || !(await resumable.isMadeBy(upload, idempotencyKey)))) throw uploadNotFound();
  await resumable.assertValid(upload, actor.credential);
  if (!isMaker) return assertAdmits(token.record, upload);
  const now = context.now();
  const expired = Date.parse(token.record.expires_at) <= now;
  if (!upload.file && expired && now > upload.createdAt + UPLOAD_GRACE_SECONDS * 1000) throw tokenInvalid('expired');
}

/** A token that another one's upload would have been allowed with. */
function assertAdmits(token: UploadTokenRecord, upload: Resumable): void {
  const { key, length, overwrite, properties } = upload;
  if (token.path !== null && key !== token.path) throw tokenConstraint('path', `admits ${token.path} alone`);
  if (token.prefix !== null && !isWithin(key, token.prefix))
    throw tokenConstraint('prefix', `admits files in ${token.prefix} alone`);
  if (token.max_size !== null && length > token.max_size) throw tokenConstraint('max_size', `admits ${token.max_size} bytes`);
  if (overwrite && !token.overwrite) throw tokenConstraint('overwrite', 'does not allow to replace files');
  if (token.allowed_extensions && !hasAllowedExtension(baseName(key), token.allowed_extensions))
    throw tokenConstraint('allowed_extensions', `admits files of type ${token.allowed_extensions.join(', ')}`);
  for (const [name, value] of Object.entries(propertiesFixedByToken(token, properties)))
    if (JSON.stringify(properties[name as keyof typeof properties]) !== JSON.stringify(value))
      throw tokenConstraint(name, 'fixes another value');
}
