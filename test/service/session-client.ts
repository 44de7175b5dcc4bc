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
export async function signIn(service: TestService, options: SignInOptions = {}): Promise<SignedInUser> {
  const { core } = service.service;
  const n = ++count;
  const { email = `user-${n}@example.org`, name = `User ${n}`, passwordHash = 'none', ...rest } = options;
  const { user, secret } = await core.write(async (query) => {
    const created = await core.users.create(query, { email, name, passwordHash, ...rest });
    return { user: created, secret: await core.sessions.start(query, created.id, { ip: '127.0.0.1', userAgent: 'test' }) };
  });
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
