import { BlobError } from '../../../src/protocol/errors.js';
import { TOKEN_PREFIX } from '../../../src/protocol/token-format.js';
import type { Credential, Storage } from './credential.js';
import { isInRanges } from '../runtime/ip-addresses.js';
import type { ApiKey } from './keys/api-key.js';
import type { ApiKeys } from './keys/api-keys.js';
import type { UploadToken, UploadTokens } from './upload-tokens.js';
import type { Session, Sessions } from './users/sessions.js';
import type { Membership } from './workspaces/memberships.js';

/** The sender of a request with a valid credential, and the storage that the request acts on. */
export interface Actor {
  credential: Credential;
  storage: Storage;
  /** The signed-in user, or the user whose account owns the key. Undefined for upload tokens and for accounts without a user. */
  userId?: string;
  /** Present if the credential is an upload token. */
  token?: UploadToken;
  /** Present if the credential is an API key. */
  key?: ApiKey;
  /** The plan of the account that owns the key. Present if the credential is an API key. */
  planId?: number;
  /** Present if the credential is the cookie of a session. */
  session?: Session;
  /** Present if the request acts on the storage of a workspace. */
  membership?: Membership;
}

/** The stores in which credentials are looked up. */
export interface CredentialStores {
  keys: ApiKeys;
  tokens: UploadTokens;
  sessions: Sessions;
}

/** The credentials of a request. */
export interface RequestCredentials {
  /** The `Authorization` header. It takes precedence over the cookie. */
  authorization: string | undefined;
  /** The cookie of a session, if the request may use it. */
  sessionCookie: string | undefined;
  /** The client's address, as reported by the connection or a trusted proxy. */
  ip: string;
}

/**
 * Finds the actor of a REST request. The prefix of the secret tells upload tokens from API keys. `authorize` decides what the actor may do.
 * @throws `AUTH_TOKEN_MISSING`, `API_KEY_INVALID`, `API_KEY_IP_DENIED`, `BLOB_UPLOAD_TOKEN_INVALID`.
 */
export async function authenticate(stores: CredentialStores, request: RequestCredentials): Promise<Actor> {
  const { authorization, sessionCookie, ip } = request;
  if (authorization === undefined && sessionCookie !== undefined) return sessionActor(stores.sessions, sessionCookie);
  const secret = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  if (secret === undefined) throw new BlobError('AUTH_TOKEN_MISSING', 'Send the credential as Authorization: Bearer ….');
  return secret.startsWith(TOKEN_PREFIX) ? tokenActor(stores.tokens, secret) : keyActor(stores.keys, secret, ip);
}

async function sessionActor(sessions: Sessions, cookie: string): Promise<Actor> {
  const session = await sessions.authenticate(cookie);
  return { credential: { kind: 'session', id: session.id }, storage: session.storage, userId: session.userId, session };
}

async function tokenActor(tokens: UploadTokens, secret: string): Promise<Actor> {
  const token = await tokens.authenticate(secret);
  return { credential: { kind: 'token', id: token.id }, storage: token.storage, token };
}

async function keyActor(keys: ApiKeys, secret: string, ip: string): Promise<Actor> {
  const { key, storage, userId, planId } = await keys.authenticate(secret);
  if (key.allowedIps.length > 0 && !isInRanges(ip, key.allowedIps))
    throw new BlobError('API_KEY_IP_DENIED', 'This API key may not be used from this address.');
  keys.recordUse(key);
  return { credential: { kind: 'key', id: key.id }, storage, ...(userId !== null && { userId }), key, planId };
}
