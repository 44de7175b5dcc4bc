import { platformError } from '../../../../src/protocol/platform-errors.js';
import type { Actor } from '../authenticate.js';
import { creatorOf } from '../creator-of-actor.js';
import { userCreator } from '../creator.js';
import type { Creator } from '../creator.js';
import type { Scope } from '../scopes.js';
import type { Session } from '../users/sessions.js';

/** The user who calls a route of workspaces, by a session or with a key. */
export interface Caller {
  userId: string;
  /** The account that the user owns. */
  accountId: string;
  /** The scopes of the API key; undefined for a session, which has no limit. */
  scopes: readonly Scope[] | undefined;
  creator: Creator;
}

/** @throws `USER_NOT_FOUND` for a key of an account without a user, because such an account has no place in workspaces. */
export function callerOf(actor: Actor): Caller {
  const { userId, key, storage } = actor;
  if (userId === undefined)
    throw platformError(
      'USER_NOT_FOUND',
      'The account of this API key belongs to no user. Create one with svc-blob users create.',
    );
  return { userId, accountId: storage.accountId, scopes: key?.scopes, creator: creatorOf(actor) };
}

/** Returns the user who submits a page. */
export const callerOfSession = ({ userId, storage }: Session): Caller => ({
  userId,
  accountId: storage.accountId,
  scopes: undefined,
  creator: userCreator(userId),
});
