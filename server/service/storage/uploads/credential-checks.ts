import { RESUMABLE, UPLOAD_GRACE_SECONDS } from '../../../../src/protocol/limits.js';
import type { Query } from '../../drivers/metadata/metadata.js';
import { isSameCredential } from '../../identity/credential.js';
import type { Credential } from '../../identity/credential.js';
import { assertNotRevoked } from '../../identity/revocation.js';
import { readTokenState, tokenInvalid } from '../../identity/token-uses.js';
import type { Upload } from '../types.js';

/**
 * Returns when the sweep may abort an unfinished resumable upload that a credential has just created or continued: a day from now, and for a
 * token at most an hour after its expiry, because no request can continue it later.
 * @returns ms since 1970.
 */
export async function resumableExpiry(query: Query, credential: Credential, now: number): Promise<number> {
  const latest = now + RESUMABLE.keepSeconds * 1000;
  if (credential.kind !== 'token') return latest;
  const { expiresAt } = await readTokenState(query, credential.id);
  return Math.min(latest, expiresAt + UPLOAD_GRACE_SECONDS * 1000);
}

/** Validates a credential before a commit. Expiry counts from the start of the upload; revocation counts now. */
export async function assertStillAllowed(query: Query, credential: Credential, startedAt: number, now: number): Promise<void> {
  await assertNotRevoked(query, credential);
  if (credential.kind === 'token' && now > startedAt + UPLOAD_GRACE_SECONDS * 1000) throw tokenInvalid('expired');
}

/**
 * Validates the sender, and the creator of a resumable upload, before the bytes of one request count. A token has an hour from the creation of
 * an upload it created, and from the start of the request otherwise. An S3 upload may be continued by any credential that may write its key.
 */
export async function assertMayContinueUpload(
  query: Query,
  upload: Pick<Upload, 'kind' | 'credential' | 'createdAt'>,
  sender: { credential: Credential; startedAt: number },
  now: number,
): Promise<void> {
  const { credential, startedAt } = sender;
  const [, creator] = accountableCredentials(upload, credential);
  const isCreator = isSameCredential(credential, upload.credential);
  await assertStillAllowed(query, credential, isCreator ? upload.createdAt : startedAt, now);
  if (creator) await assertNotRevoked(query, creator);
}

/** Lists the credentials whose revocation refuses a request of an upload: the sender and, for a resumable upload, also its creator. */
export const accountableCredentials = (upload: Pick<Upload, 'kind' | 'credential'>, sender: Credential): Credential[] =>
  upload.kind === 'tus' && !isSameCredential(sender, upload.credential) ? [sender, upload.credential] : [sender];
