// Own process: the client compares with the global Response, which the web server of the demo replaces.
import * as oauth from 'oauth4webapi';
import { describe, expect, it } from 'vitest';
import { allowRequest } from '../oauth-flow.js';
import { useOauthService } from './use-oauth-service.js';

const start = useOauthService();
const insecure = { [oauth.allowInsecureRequests]: true };
const redirectUri = 'http://127.0.0.1:4711/callback';

async function discover(issuer: string): Promise<{ as: oauth.AuthorizationServer; client: oauth.Client }> {
  const resource = new URL(issuer);
  const resourceResponse = await oauth.resourceDiscoveryRequest(resource, insecure);
  const { authorization_servers } = await oauth.processResourceDiscoveryResponse(resource, resourceResponse);
  const server = new URL(authorization_servers![0]!);
  const as = await oauth.processDiscoveryResponse(
    server,
    await oauth.discoveryRequest(server, { algorithm: 'oauth2', ...insecure }),
  );
  const metadata = { client_name: 'oauth4webapi', redirect_uris: [redirectUri] };
  const registered = await oauth.dynamicClientRegistrationRequest(as, metadata, insecure);
  return { as, client: await oauth.processDynamicClientRegistrationResponse(registered) };
}

async function authorizationUrl(
  { as, client }: Awaited<ReturnType<typeof discover>>,
  verifier: string,
  scope: string,
): Promise<URL> {
  const url = new URL(as.authorization_endpoint!);
  url.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope,
    state: 'state',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString();
  return url;
}

describe('oauth4webapi', () => {
  it('discovers the server from the resource, registers and obtains a key', async () => {
    const { issuer, user } = start();
    const found = await discover(issuer);
    const verifier = oauth.generateRandomCodeVerifier();
    const callback = await allowRequest(await authorizationUrl(found, verifier, 'blob:read'), user.cookie);
    const parameters = oauth.validateAuthResponse(found.as, found.client, callback, 'state');
    const response = await oauth.authorizationCodeGrantRequest(
      found.as,
      found.client,
      oauth.None(),
      parameters,
      redirectUri,
      verifier,
      insecure,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(found.as, found.client, response);
    expect(tokens).toMatchObject({ access_token: expect.stringMatching(/^svc_live_/), token_type: 'bearer', scope: 'blob:read' });
  });

  it('recognizes an error that the server sent by redirect', async () => {
    const { issuer, user } = start();
    const found = await discover(issuer);
    const url = await authorizationUrl(found, oauth.generateRandomCodeVerifier(), 'unknown');
    const { headers } = await fetch(url, { redirect: 'manual', headers: { Cookie: user.cookie } });
    const validate = () => oauth.validateAuthResponse(found.as, found.client, new URL(headers.get('location')!), 'state');
    expect(validate).toThrow(oauth.AuthorizationResponseError);
  });
});
