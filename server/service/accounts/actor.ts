import { BlobError } from '../../../src/protocol/errors.js';
import { TOKEN_PREFIX } from '../../../src/protocol/limits.js';
import type { Credential, Storage } from '../blobs/types.js';
import type { Accounts } from './accounts.js';
import { isInRanges } from './addresses.js';
import type { ApiKeys } from './keys.js';
import type { Scope } from './scopes.js';
import type { UploadToken, UploadTokens } from './tokens.js';

/** Who asks, and the storage the request acts on. */
export interface Actor {
  credential: Credential;
  storage: Storage;
  /** Present when an upload token opened the door. */
  token?: UploadToken;
}

/** What a route demands. */
export interface Access {
  scope: Scope;
  /** Whether upload tokens open it: `also` beside keys, `only` instead of them. */
  tokens?: 'also' | 'only';
}

export interface Claim {
  authorization: string | undefined;
  /** As the service sees the connection, or as a configured proxy tells. */
  ip: string;
  workspaceId: string | undefined;
}

/**
 * The one place that decides who acts and on what. Members of workspaces come in here: `workspace_id` will choose the owner's storage after a look at
 * the member's permissions.
 */
export async function decideActor(
  accounts: Accounts,
  keys: ApiKeys,
  tokens: UploadTokens,
  claim: Claim,
  access: Access,
): Promise<Actor> {
  const actor = await identify(accounts, keys, tokens, claim, access);
  if (claim.workspaceId !== undefined)
    throw new BlobError('WORKSPACE_NOT_FOUND', 'There is no such workspace.', { details: { workspace_id: claim.workspaceId } });
  return actor;
}

async function identify(accounts: Accounts, keys: ApiKeys, tokens: UploadTokens, claim: Claim, access: Access): Promise<Actor> {
  const secret = /^Bearer +(\S+) *$/i.exec(claim.authorization ?? '')?.[1];
  if (secret === undefined) throw new BlobError('AUTH_TOKEN_MISSING', 'Send the credential as Authorization: Bearer ….');
  if (secret.startsWith(TOKEN_PREFIX)) {
    const token = await tokens.authenticate(secret);
    if (access.tokens === undefined)
      throw new BlobError('BLOB_UPLOAD_TOKEN_CONSTRAINT', 'An upload token opens upload routes alone.', {
        details: { field: 'route' },
      });
    return { credential: { kind: 'token', id: token.id }, storage: token.storage, token };
  }
  const key = await keys.authenticate(secret);
  if (key.allowedIps.length > 0 && !isInRanges(claim.ip, key.allowedIps))
    throw new BlobError('API_KEY_IP_DENIED', 'This API key may not be used from this address.');
  if (access.tokens === 'only')
    throw new BlobError('BLOB_UPLOAD_TOKEN_INVALID', 'This route answers to an upload token.', {
      details: { reason: 'unknown' },
    });
  if (!key.scopes.includes(access.scope))
    throw new BlobError('API_KEY_SCOPE_DENIED', `The API key lacks the scope ${access.scope}.`, {
      details: { required: access.scope },
    });
  const storage = await accounts.mainStorage(key.accountId);
  if (!storage) throw new BlobError('API_KEY_INVALID', 'The API key is not valid.');
  return { credential: { kind: 'key', id: key.id }, storage };
}
