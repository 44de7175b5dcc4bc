import type { Actor } from './authenticate.js';
import type { Creator } from './creator.js';
import type { UploadToken } from './upload-tokens.js';

/** Returns the sender of a request as the creator of records. */
export function creatorOf({ key, session, userId, membership, credential }: Actor): Creator {
  return {
    keyId: key?.id ?? null,
    memberId: credential.member?.id ?? null,
    workspaceId: membership?.workspaceId ?? null,
    userId: userId ?? null,
    origin: session ? 'user' : 'api_key',
  };
}

/** Returns the author of what a page does with an upload token: the key that created the token. */
export const creatorOfToken = ({ keyId }: UploadToken): Creator => ({
  keyId,
  memberId: null,
  workspaceId: null,
  userId: null,
  origin: 'api_key',
});
