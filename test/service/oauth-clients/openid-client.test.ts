// Own process: the client compares with the global Response, which the web server of the demo replaces.
import * as client from 'openid-client';
import { expect, it } from 'vitest';
import { allowRequest } from '../oauth-flow.js';
import { useOauthService } from './use-oauth-service.js';

const oauth = useOauthService();

it('openid-client registers, obtains a key and calls the API', async () => {
  const { issuer, user, service } = oauth();
  const redirect_uri = 'http://127.0.0.1:49152/callback';
  const config = await client.dynamicClientRegistration(
    new URL(issuer),
    { client_name: 'openid-client', redirect_uris: [redirect_uri], grant_types: ['authorization_code', 'refresh_token'] },
    client.None(),
    { algorithm: 'oauth2', execute: [client.allowInsecureRequests] },
  );
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const expectedState = client.randomState();
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri,
    scope: 'blob:read blob:write',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    resource: issuer,
  });
  const callback = await allowRequest(url, user.cookie);
  const tokens = await client.authorizationCodeGrant(config, callback, { pkceCodeVerifier, expectedState }, { resource: issuer });
  expect(tokens.expiresIn()).toBeUndefined();
  expect(tokens.refresh_token).toBeUndefined();
  expect(tokens.scope).toBe('blob:read blob:write');
  const files = await client.fetchProtectedResource(config, tokens.access_token, new URL(`${service.ownUrl}/v1/files`), 'GET');
  expect(files.status).toBe(200);
});
