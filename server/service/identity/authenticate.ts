import { BlobError } from '../../../src/protocol/errors.js';
import { TOKEN_PREFIX } from '../../../src/protocol/limits.js';
import type { Accounts } from './accounts.js';
import type { ApiKey, ApiKeys } from './api-keys.js';
import type { Credential, Storage } from './credential.js';
import { isInRanges } from './ip-addresses.js';
import type { UploadToken, UploadTokens } from './upload-tokens.js';

/** The sender of a request with a valid credential, and the storage that the request acts on. */
export interface Actor {
  credential: Credential;
  storage: Storage;
  /** Present if the credential is an upload token. */
  token?: UploadToken;
  /** Present if the credential is an API key. */
  key?: ApiKey;
}

/** Returns the id that credentials created by this actor record as their creator; null if they are independent of any key. */
export const creatingKeyId = ({ key }: Actor): string | null => key?.id ?? null;

/**
 * Finds the actor of a REST request from its `Authorization` header. The prefix of the secret tells upload tokens from API keys. `authorize`
 * decides what the actor may do.
 * @param ip the client's address, as reported by the connection or a trusted proxy.
 * @throws `AUTH_TOKEN_MISSING`, `API_KEY_INVALID`, `API_KEY_IP_DENIED`, `BLOB_UPLOAD_TOKEN_INVALID`.
 */
export async function authenticate(
  accounts: Accounts,
  keys: ApiKeys,
  tokens: UploadTokens,
  authorization: string | undefined,
  ip: string,
): Promise<Actor> {
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
