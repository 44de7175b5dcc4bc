import { BlobError } from '../../../src/protocol/errors.js';
import { TOKEN_PREFIX } from '../../../src/protocol/limits.js';
import type { Credential, Storage } from '../blobs/types.js';
import type { Accounts } from './accounts.js';
import { isInRanges } from './addresses.js';
import type { ApiKey, ApiKeys } from './keys.js';
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

/** An actor whose credential is right; whether it opens the route is still to be judged. */
export interface Caller extends Actor {
  /** Present when an API key opened the door. */
  key?: ApiKey;
}

/**
 * The one place that decides who acts and on what.
 * @param ip as the service sees the connection, or as a configured proxy tells. An API key has no meaning where it may not be used from.
 */
export async function identify(
  accounts: Accounts,
  keys: ApiKeys,
  tokens: UploadTokens,
  authorization: string | undefined,
  ip: string,
): Promise<Caller> {
  const secret = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (secret === undefined) throw new BlobError('AUTH_TOKEN_MISSING', 'Send the credential as Authorization: Bearer ….');
  if (secret.startsWith(TOKEN_PREFIX)) {
    const token = await tokens.authenticate(secret);
    return { credential: { kind: 'token', id: token.id }, storage: token.storage, token };
  }
  const key = await keys.authenticate(secret);
  if (key.allowedIps.length > 0 && !isInRanges(ip, key.allowedIps))
    throw new BlobError('API_KEY_IP_DENIED', 'This API key may not be used from this address.');
  const storage = await accounts.mainStorage(key.accountId);
  if (!storage) throw new BlobError('API_KEY_INVALID', 'The API key is not valid.');
  return { credential: { kind: 'key', id: key.id }, storage, key };
}

/**
 * Whether a caller may do what a route does. Members of workspaces come in here: `workspace_id` will choose the owner's storage after a look at the
 * member's permissions.
 */
export function authorize({ token, key, ...actor }: Caller, access: Access, workspaceId: string | undefined): Actor {
  if (token && access.tokens === undefined)
    throw new BlobError('BLOB_UPLOAD_TOKEN_CONSTRAINT', 'An upload token opens upload routes alone.', {
      details: { field: 'route' },
    });
  if (key && access.tokens === 'only')
    throw new BlobError('BLOB_UPLOAD_TOKEN_INVALID', 'This route answers to an upload token.', {
      details: { reason: 'unknown' },
    });
  if (key && !key.scopes.includes(access.scope))
    throw new BlobError('API_KEY_SCOPE_DENIED', `The API key lacks the scope ${access.scope}.`, {
      details: { required: access.scope },
    });
  if (workspaceId !== undefined)
    throw new BlobError('WORKSPACE_NOT_FOUND', 'There is no such workspace.', { details: { workspace_id: workspaceId } });
  return { ...actor, ...(token && { token }) };
}
