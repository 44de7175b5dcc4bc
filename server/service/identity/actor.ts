import { BlobError } from '../../../src/protocol/errors.js';
import { TOKEN_PREFIX } from '../../../src/protocol/limits.js';
import type { Accounts } from './accounts.js';
import { isInRanges } from './addresses.js';
import type { ApiKey, ApiKeys } from './keys.js';
import { scopeDenied } from './scopes.js';
import type { Scope } from './scopes.js';
import type { UploadToken, UploadTokens } from './tokens.js';
import type { Credential, Storage } from './credential.js';

/** Who asks, and the storage the request acts on. */
export interface Actor {
  credential: Credential;
  storage: Storage;
  /** Present when the credential is an upload token. */
  token?: UploadToken;
  /** Present when the credential is an API key. */
  key?: ApiKey;
}

/** What a route demands. */
export interface Access {
  scope: Scope;
  /** Whether upload tokens open it: `also` beside keys, `only` instead of them. */
  tokens?: 'also' | 'only';
}

/** An actor whose credential is valid. `authorize` judges whether it opens the route. */
export type Caller = Actor;

/** The id that a credential created by this actor records as its provenance; null: what a session creates is independent. */
export const creatorOf = ({ key }: Actor): string | null => key?.id ?? null;

/** Refuses to create what would grant more than the actor has. @throws `API_KEY_SCOPE_DENIED`. */
export function assertScope({ key }: Actor, scope: Scope): void {
  if (key && !key.scopes.includes(scope)) throw scopeDenied(scope);
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
export function authorize(caller: Caller, access: Access, workspaceId: string | undefined): Actor {
  const { token, key } = caller;
  if (token && access.tokens === undefined)
    throw new BlobError('BLOB_UPLOAD_TOKEN_CONSTRAINT', 'An upload token opens upload routes alone.', {
      details: { field: 'route' },
    });
  if (key && access.tokens === 'only')
    throw new BlobError('BLOB_UPLOAD_TOKEN_INVALID', 'This route answers to an upload token.', {
      details: { reason: 'unknown' },
    });
  assertScope(caller, access.scope);
  if (workspaceId !== undefined)
    throw new BlobError('WORKSPACE_NOT_FOUND', 'There is no such workspace.', { details: { workspace_id: workspaceId } });
  return caller;
}
