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

/** Creates a user with an account of its own, and a session of that user. */
export async function signIn(
  service: TestService,
  options: { name?: string; email?: string; isAdmin?: boolean } = {},
): Promise<SessionClient> {
  const { core } = service.service;
  count += 1;
  const { name = `User ${count}`, email = `user-${count}-${process.pid}@example.org`, isAdmin = false } = options;
  const { user, secret } = await withMetadata(service.dataDir, (metadata) =>
    metadata.write(async (query) => {
      const created = await core.users.create(query, { name, email, passwordHash: 'unused', isAdmin });
      return { user: created, secret: await core.sessions.start(query, created.id, { ip: '127.0.0.1', userAgent: 'test' }) };
    }),
  );
  const cookie = `svc_session=${secret}`;
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
