import type { ActivityAction } from '../../../../src/protocol/activity-actions.js';
import { API_KEY } from '../../../../src/protocol/limits.js';
import type { Metadata, Query } from '../../drivers/metadata/metadata.js';
import { hashSecret, newId, newSecret } from '../../runtime/ids.js';
import { recordActivity } from '../activities/record-activity.js';
import { shownName } from '../keys/api-key.js';
import { userCreator } from '../creator.js';
import type { Scope } from '../scopes.js';
import type { Session } from '../users/sessions.js';
import type { AuthorizationRequest } from './authorization-request.js';
import { insertCode } from './codes.js';
import { redirectTarget } from './redirect-uris.js';

/** A consent page works for this time. */
const CONSENT_MS = 10 * 60_000;
/** Open consent pages of one session. More remove the oldest. */
const MAX_OPEN = 50;

/** The decision of a user on a consent page. */
export type Decision = { allow: false } | { allow: true; scopes: readonly string[]; replacesKeyId?: string | undefined };

/** The result of a decision. `incomplete`: the page stays valid, and the user must correct the named choice. */
export type ConsentResult =
  | { kind: 'unknown' }
  | { kind: 'denied'; request: AuthorizationRequest }
  | { kind: 'allowed'; request: AuthorizationRequest; code: string }
  | { kind: 'incomplete'; request: AuthorizationRequest; missing: 'scopes' | 'replacement' };

/** A key that a new one may replace. Times are ms since 1970. */
export interface ReplaceableKey {
  id: string;
  name: string;
  last4: string | null;
  createdAt: number;
  lastUsedAt: number | null;
}

/** Selects the active keys of an account, oldest first. */
const activeKeys = (query: Query, accountId: string) =>
  query
    .selectFrom('api_keys')
    .select(['id', 'name', 'oauth_client_json', 'last4', 'created_at', 'last_used_at'])
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id');

/** Stores the consent pages that signed-in users have opened. Each is bound to its session and valid for one decision. */
export class OauthConsents {
  constructor(
    private readonly metadata: Metadata,
    private readonly now: () => number,
  ) {}

  /** Opens a consent page. @returns the secret of its form, which is stored as a hash. */
  async open(session: Session, request: AuthorizationRequest): Promise<string> {
    const secret = newSecret('svccs_');
    const now = this.now();
    await this.metadata.write(async (query) => {
      await query
        .insertInto('oauth_consents')
        .values({
          id: newId('con'),
          secret_hash: hashSecret(secret),
          session_id: session.id,
          request_json: JSON.stringify(request),
          created_at: now,
          expires_at: now + CONSENT_MS,
        })
        .execute();
      const ofSession = query.selectFrom('oauth_consents').select('id').where('session_id', '=', session.id);
      const newest = ofSession.orderBy('created_at', 'desc').orderBy('id').limit(MAX_OPEN);
      await query.deleteFrom('oauth_consents').where('session_id', '=', session.id).where('id', 'not in', newest).execute();
    });
    return secret;
  }

  /** Lists the keys of which the user must replace one. @returns undefined if the account may have another key. */
  async replaceableKeys(session: Session): Promise<ReplaceableKey[] | undefined> {
    const rows = await activeKeys(this.metadata.db, session.storage.accountId).execute();
    if (rows.length < API_KEY.perAccount) return undefined;
    return rows.map((row) => ({
      id: row.id,
      name: shownName(row),
      last4: row.last4,
      createdAt: row.created_at,
      lastUsedAt: row.last_used_at,
    }));
  }

  /** Takes the decision of a consent page. The page ends with it, and a consent becomes a code in the same transaction. */
  async decide(secret: string, session: Session, decision: Decision): Promise<ConsentResult> {
    return this.metadata.write(async (query): Promise<ConsentResult> => {
      const now = this.now();
      const select = query
        .selectFrom('oauth_consents')
        .select(['id', 'request_json'])
        .where('secret_hash', '=', hashSecret(secret))
        .where('session_id', '=', session.id)
        .where('expires_at', '>', now);
      const row = await this.metadata.forUpdate(select).executeTakeFirst();
      if (!row) return { kind: 'unknown' };
      const request = JSON.parse(row.request_json) as AuthorizationRequest;
      if (!decision.allow) {
        await this.#end(query, row.id, session, 'oauth_consent.denied', request, request.scopes);
        return { kind: 'denied', request };
      }
      const scopes = request.scopes.filter((scope) => decision.scopes.includes(scope));
      if (scopes.length === 0) return { kind: 'incomplete', request, missing: 'scopes' };
      const keys = await activeKeys(query, session.storage.accountId).execute();
      const replaced = keys.find(({ id }) => id === decision.replacesKeyId);
      if (keys.length >= API_KEY.perAccount && !replaced) return { kind: 'incomplete', request, missing: 'replacement' };
      await this.#end(query, row.id, session, 'oauth_consent.given', request, scopes);
      const code = await insertCode(query, { request, scopes, now, userId: session.userId, replacesKeyId: replaced?.id ?? null });
      return { kind: 'allowed', request, code };
    });
  }

  /** Deletes the page, so that it works once, and records the decision. */
  async #end(
    query: Query,
    id: string,
    session: Session,
    action: ActivityAction,
    { clientName, redirectUri }: AuthorizationRequest,
    scopes: readonly Scope[],
  ): Promise<void> {
    await query.deleteFrom('oauth_consents').where('id', '=', id).execute();
    await recordActivity(query, userCreator(session.userId), this.now(), {
      accountId: session.storage.accountId,
      action,
      targetType: 'oauth_client',
      details: { client: clientName, redirect: redirectTarget(redirectUri).name, scopes },
    });
  }
}
