import type { FastifyRequest } from 'fastify';
import { BlobError } from '../../../../src/protocol/errors.js';
import { hasAllowedExtension } from '../../../../src/protocol/extensions.js';
import { UPLOAD_GRACE_SECONDS } from '../../../../src/protocol/limits.js';
import { baseName, isWithin } from '../../../../src/protocol/paths.js';
import type { UploadTokenRecord } from '../../../../src/protocol/types.js';
import type { Actor } from '../../identity/authenticate.js';
import { tokenInvalid } from '../../identity/token-uses.js';
import type { Resumable } from '../../storage/blob-storage.js';
import { propertiesFixedByToken, tokenConstraint } from '../../storage/uploads/placement.js';
import type { RouteContext } from '../context.js';
import { requestIdempotencyKey } from './tus-headers.js';

const uploadNotFound = () => new BlobError('NOT_FOUND', 'There is no such upload.');

/** Finds the upload in the URL of a request, if the actor may continue it. @throws `NOT_FOUND` and the errors of `assertMayContinue`. */
export async function requireUpload(context: RouteContext, request: FastifyRequest): Promise<Resumable> {
  const upload = await context.blobs.resumable.find(request.actor.storage, (request.params as { id: string }).id);
  if (!upload) throw uploadNotFound();
  await assertMayContinue(context, request.actor, upload, requestIdempotencyKey(request));
  return upload;
}

/**
 * Decides who may continue an upload: any API key of the account, the token that created it (until an hour after its creation, even if the token
 * expires), and a valid token that allows this upload and knows its idempotency key. All others get "not found".
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
  const isCreator = upload.credential.kind === 'token' && upload.credential.id === token.id;
  if (!isCreator && (idempotencyKey === undefined || !(await resumable.isMadeBy(upload, idempotencyKey)))) throw uploadNotFound();
  await resumable.assertValid(upload, actor.credential);
  if (!isCreator) return assertTokenAllows(token.record, upload);
  const now = context.now();
  const isExpired = Date.parse(token.record.expires_at) <= now;
  const isGraceOver = now > upload.createdAt + UPLOAD_GRACE_SECONDS * 1000;
  if (!upload.file && isExpired && isGraceOver) throw tokenInvalid('expired');
}

/** Checks whether a token could have created an upload. Prefixes are compared by whole segments. @throws `BLOB_UPLOAD_TOKEN_CONSTRAINT` */
function assertTokenAllows(token: UploadTokenRecord, upload: Resumable): void {
  const { key, length, overwrite, properties } = upload;
  if (token.path !== null && key !== token.path) throw tokenConstraint('path', `allows only ${token.path}`);
  if (token.prefix !== null && !isWithin(key, token.prefix))
    throw tokenConstraint('prefix', `allows only files in ${token.prefix}`);
  if (token.max_size !== null && length > token.max_size)
    throw tokenConstraint('max_size', `allows at most ${token.max_size} bytes; the upload has ${length}`);
  if (overwrite && !token.overwrite) throw tokenConstraint('overwrite', 'does not allow replacing files');
  if (token.allowed_extensions && !hasAllowedExtension(baseName(key), token.allowed_extensions))
    throw tokenConstraint('allowed_extensions', `allows only files of type ${token.allowed_extensions.join(', ')}`);
  for (const [name, value] of Object.entries(propertiesFixedByToken(token, properties)))
    if (JSON.stringify(properties[name as keyof typeof properties]) !== JSON.stringify(value))
      throw tokenConstraint(name, 'sets another value');
}
