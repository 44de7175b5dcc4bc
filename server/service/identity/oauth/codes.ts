import { API_KEY } from '../../../../src/protocol/limits.js';
import type { OauthCodesTable } from '../../drivers/metadata/identity-tables.js';
import type { Metadata, Query } from '../../drivers/metadata/metadata.js';
import { hashSecret, newId, newSecret } from '../../runtime/ids.js';
import type { ApiKeys } from '../keys/api-keys.js';
import { SYSTEM_CREATOR, userCreator } from '../creator.js';
import { lockAccount } from '../lock-account.js';
import type { Scope } from '../scopes.js';
import type { AuthorizationRequest } from './authorization-request.js';
import { OauthError } from './oauth-error.js';
import { isVerifierOf } from './pkce.js';
import { redirectTarget } from './redirect-uris.js';

const CODE_MS = 60_000;

/** A consent that becomes a code. */
interface NewCode {
  request: AuthorizationRequest;
  /** The granted scopes. */
  scopes: readonly Scope[];
  userId: string;
  replacesKeyId: string | null;
  now: number;
}

/** Creates a code in the transaction of a consent. @returns the code, which is stored as a hash. */
export async function insertCode(query: Query, { request, scopes, userId, replacesKeyId, now }: NewCode): Promise<string> {
  const code = newSecret('svcac_');
  await query
    .insertInto('oauth_codes')
    .values({
      id: newId('code'),
      code_hash: hashSecret(code),
      client_id: request.clientId,
      redirect_uri: request.redirectUri,
      user_id: userId,
      resource: request.resource,
      scopes_json: JSON.stringify(scopes),
      challenge: request.challenge,
      client_json: JSON.stringify({ name: request.clientName, redirect: redirectTarget(request.redirectUri).name }),
      replaces_key_id: replacesKeyId,
      created_at: now,
      expires_at: now + CODE_MS,
    })
    .execute();
  return code;
}

/** A validated token request. */
export interface CodeExchange {
  code: string;
  clientId: string;
  redirectUri: string;
  verifier: string;
}

/** The key that a client receives. */
export interface IssuedKey {
  secret: string;
  scopes: Scope[];
}

const invalidGrant = (problem: string) => new OauthError('invalid_grant', problem);
const UNKNOWN = 'The code is unknown or has expired. Ask the user again.';

/** Exchanges codes for keys. */
export class OauthCodes {
  constructor(
    private readonly metadata: Metadata,
    private readonly keys: ApiKeys,
    private readonly now: () => number,
  ) {}

  /**
   * Exchanges a code for a new key, in one transaction. A code works once. A repeat means that another client may have the code too, so it revokes
   * the key: https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2
   * @throws OauthError `invalid_grant`
   */
  async exchange(exchange: CodeExchange): Promise<IssuedKey> {
    const result = await this.metadata.write((query) => this.#exchangeIn(query, exchange));
    if (result instanceof OauthError) throw result;
    return result;
  }

  /** Returns errors, because a thrown one would undo the revocation. */
  async #exchangeIn(query: Query, exchange: CodeExchange): Promise<IssuedKey | OauthError> {
    const select = query.selectFrom('oauth_codes').selectAll().where('code_hash', '=', hashSecret(exchange.code));
    // Parallel exchanges wait here. The next one sees that the code is used.
    const row = await this.metadata.forUpdate(select).executeTakeFirst();
    if (!row) return invalidGrant(UNKNOWN);
    if (row.used_at !== null) return this.#revokeReplayed(query, row);
    const now = this.now();
    if (now >= row.expires_at) return invalidGrant(UNKNOWN);
    if (row.client_id !== exchange.clientId) return invalidGrant('The code was issued to another client.');
    if (row.redirect_uri !== exchange.redirectUri)
      return invalidGrant('The redirect_uri must be the one of the authorization request.');
    if (!isVerifierOf(row.challenge, exchange.verifier))
      return invalidGrant('The code_verifier does not match the code_challenge.');
    return this.#issue(query, row, now);
  }

  async #issue(query: Query, row: OauthCodesTable, now: number): Promise<IssuedKey | OauthError> {
    // The lock lets a parallel disabling of the user see the new key, or this exchange see that the user is disabled.
    const user = query.selectFrom('users').select('account_id').where('id', '=', row.user_id).where('disabled_at', 'is', null);
    const accountId = (await this.metadata.forUpdate(user).executeTakeFirst())?.account_id;
    if (accountId === undefined) return invalidGrant('The user was disabled.');
    await lockAccount(this.metadata, query, accountId);
    const others = await activeKeysExcept(query, accountId, row.replaces_key_id);
    if (others >= API_KEY.perAccount)
      return invalidGrant(`The account has ${API_KEY.perAccount} keys, the maximum. Ask the user again to replace one.`);
    if (row.replaces_key_id !== null)
      await this.keys.revokeIn(query, accountId, row.replaces_key_id, userCreator(row.user_id), 'replaced');
    const oauthClient = JSON.parse(row.client_json) as { name: string; redirect: string };
    const scopes = JSON.parse(row.scopes_json) as Scope[];
    const creator = userCreator(row.user_id);
    const key = await this.keys.createIn(query, accountId, { name: oauthClient.name, scopes, oauthClient, creator });
    await query.updateTable('oauth_codes').set({ used_at: now, key_id: key.id }).where('id', '=', row.id).execute();
    return { secret: key.secret, scopes: key.scopes };
  }

  async #revokeReplayed(query: Query, { key_id, user_id }: OauthCodesTable): Promise<OauthError> {
    const user = await query.selectFrom('users').select('account_id').where('id', '=', user_id).executeTakeFirst();
    if (key_id !== null && user) await this.keys.revokeIn(query, user.account_id, key_id, SYSTEM_CREATOR, 'code_replayed');
    return invalidGrant('The code was already used, so the key that it created was revoked. Ask the user again.');
  }
}

/** Counts the active keys of an account without the one that is replaced. */
async function activeKeysExcept(query: Query, accountId: string, exceptId: string | null): Promise<number> {
  let select = query
    .selectFrom('api_keys')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null);
  if (exceptId !== null) select = select.where('id', '!=', exceptId);
  return Number((await select.executeTakeFirstOrThrow()).count);
}
