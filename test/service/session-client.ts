import type { Query } from '../../server/service/drivers/metadata/metadata.js';
import type { Scope } from '../../server/service/identity/scopes.js';
import type { UserRecord } from '../../server/service/identity/users/users.js';
import type { ServiceResponse, TestService } from './support.js';

export interface SignInOptions {
  /** @default a new address */
  email?: string;
  name?: string;
  isAdmin?: boolean;
  /** An existing account that the user takes over. @default a new account */
  accountId?: string;
  /** The stored hash of the password. @default a hash that no password has */
  passwordHash?: string;
}

/** A signed-in user and the requests of that user's browser. */
export interface SignedInUser {
  user: UserRecord;
  /** The value of the `Cookie` header. */
  cookie: string;
  /** Sends a request as a page of the service does: with the cookie and the own origin. */
  call<T = unknown>(
    method: string,
    path: string,
    options?: { body?: object; headers?: Record<string, string> },
  ): Promise<ServiceResponse<T>>;
}

let count = 0;

/** Creates a user with an account and a session, without the slow hash of a password. */
export const signIn = (service: TestService, options: SignInOptions = {}): Promise<SignedInUser> =>
  service.service.core.write((query) => signInWith(query, service, options));

/** Does the same in a transaction, for tests that need many users. */
export async function signInWith(query: Query, service: TestService, options: SignInOptions = {}): Promise<SignedInUser> {
  const { users, sessions } = service.service.core;
  const n = ++count;
  const { email = `user-${n}-${process.pid}@example.org`, name = `User ${n}`, passwordHash = 'none', ...rest } = options;
  const user = await users.create(query, { email, name, passwordHash, ...rest });
  const secret = await sessions.start(query, user.id, { ip: '127.0.0.1', userAgent: 'test' });
  return { user, ...clientWithCookie(service, `svc_session=${secret}`) };
}

/** Sends requests with a cookie, as a page of the service does. */
export function clientWithCookie(service: TestService, cookie: string): Pick<SignedInUser, 'cookie' | 'call'> {
  return {
    cookie,
    call: (method, path, { body, headers } = {}) =>
      service.call(method, path, {
        credential: null,
        headers: { Cookie: cookie, Origin: new URL(service.url).origin, ...headers },
        ...(body && { body }),
      }),
  };
}

/** Returns the account of a user. */
export const accountOf = (service: TestService, userId: string): Promise<string> =>
  service.service.core.write(async (query) => {
    const row = await query.selectFrom('users').select('account_id').where('id', '=', userId).executeTakeFirstOrThrow();
    return row.account_id;
  });

/** Creates an API key of a user. */
export async function createKey(service: TestService, userId: string, scopes: readonly Scope[]) {
  return service.service.core.keys.create(await accountOf(service, userId), { name: 'key', scopes: [...scopes] });
}
