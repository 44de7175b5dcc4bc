import { afterAll, beforeAll } from 'vitest';
import { signIn } from '../session-client.js';
import type { SignedInUser } from '../session-client.js';
import { TestService } from '../support.js';

/** A service, its issuer and a signed-in user. */
export interface OauthService {
  service: TestService;
  /** Clients compare it byte by byte, so they use one replica directly. */
  issuer: string;
  user: SignedInUser;
}

/** Starts a service for the tests of a file. */
export function useOauthService(): () => OauthService {
  let started: OauthService;
  beforeAll(async () => {
    const service = await TestService.start();
    started = { service, issuer: service.ownUrl, user: await signIn(service) };
  });
  afterAll(() => started.service.stop());
  return () => started;
}
