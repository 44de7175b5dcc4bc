import type { Query } from '../../server/service/drivers/metadata/metadata.js';
import type { Scope } from '../../server/service/identity/scopes.js';
import type { UserRecord } from '../../server/service/identity/users/users.js';
import { withMetadata } from './change-key.js';
import type { ServiceResponse, TestService } from './support.js';

/** Options of a request with a session. */
export interface SessionRequest {
  body?: object;
  headers?: Record<string, string>;
}

/** A signed-in user. */
export interface SessionClient {
  user: UserRecord;
  /** The value of the `Cookie` header. */
  cookie: string;
  /** Sends a request with the cookie and our own origin. A body is sent as JSON. */
  call<T = unknown>(method: string, path: string, options?: SessionRequest): Promise<ServiceResponse<T>>;
}

let count = 0;

export interface TestUser {
  name?: string;
  email?: string;
  isAdmin?: boolean;
}

/** Creates a user with an account of its own, and a session of that user. */
export const signIn = (service: TestService, options: TestUser = {}): Promise<SessionClient> =>
  withMetadata(service.dataDir, (metadata) => metadata.write((query) => signInWith(query, service, options)));

/** Does the same in a transaction, for tests that need many users. */
export async function signInWith(query: Query, service: TestService, options: TestUser = {}): Promise<SessionClient> {
  const { users, sessions } = service.service.core;
  count += 1;
  const { name = `User ${count}`, email = `user-${count}-${process.pid}@example.org`, isAdmin = false } = options;
  const user = await users.create(query, { name, email, passwordHash: 'unused', isAdmin });
  const cookie = `svc_session=${await sessions.start(query, user.id, { ip: '127.0.0.1', userAgent: 'test' })}`;
  return {
    user,
    cookie,
    call: (method, path, { body, headers } = {}) =>
      service.call(method, path, {
        credential: null,
        ...(body && { body }),
        headers: { Cookie: cookie, Origin: service.url, ...headers },
      }),
  };
}

/** Returns the account of a user. */
export const accountOf = (service: TestService, userId: string): Promise<string> =>
  withMetadata(service.dataDir, async ({ db }) => {
    const row = await db.selectFrom('users').select('account_id').where('id', '=', userId).executeTakeFirstOrThrow();
    return row.account_id;
  });

/** Creates an API key of a user. */
export async function createKey(service: TestService, userId: string, scopes: readonly Scope[]) {
  return service.service.core.keys.create(await accountOf(service, userId), { name: 'key', scopes: [...scopes] });
}
