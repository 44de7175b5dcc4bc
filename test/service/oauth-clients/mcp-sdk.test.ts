// Own process: the client compares with the global Response, which the web server of the demo replaces.
import { auth } from '@modelcontextprotocol/sdk/client/auth.js';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { expect, it } from 'vitest';
import { allowRequest } from '../oauth-flow.js';
import { useOauthService } from './use-oauth-service.js';

const start = useOauthService();

/** Keeps the state of one client in memory. */
class Provider implements OAuthClientProvider {
  readonly redirectUrl = 'http://localhost:3334/oauth/callback';
  readonly clientMetadata = {
    client_name: 'MCP client',
    redirect_uris: [this.redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  client: OAuthClientInformationMixed | undefined;
  saved: OAuthTokens | undefined;
  verifier = '';
  authorization: URL | undefined;

  clientInformation = () => this.client;
  saveClientInformation = (client: OAuthClientInformationMixed) => void (this.client = client);
  tokens = () => this.saved;
  saveTokens = (tokens: OAuthTokens) => void (this.saved = tokens);
  redirectToAuthorization = (url: URL) => void (this.authorization = url);
  saveCodeVerifier = (verifier: string) => void (this.verifier = verifier);
  codeVerifier = () => this.verifier;
}

it.each(['', '/mcp'])('the MCP SDK obtains a key for a server at the path "%s"', async (path) => {
  const { issuer, user, service } = start();
  const provider = new Provider();
  const serverUrl = issuer + path;
  expect(await auth(provider, { serverUrl })).toBe('REDIRECT');
  expect(provider.authorization!.searchParams.get('resource')).toBe(issuer);
  const callback = await allowRequest(provider.authorization!, user.cookie);
  expect(callback.origin + callback.pathname).toBe(provider.redirectUrl);
  expect(await auth(provider, { serverUrl, authorizationCode: callback.searchParams.get('code')! })).toBe('AUTHORIZED');
  const { status } = await service.call('GET', '/v1/files', { credential: provider.saved!.access_token });
  expect(status).toBe(200);
});

it('the MCP SDK registers again when the server no longer knows its client', async () => {
  const { issuer } = start();
  const provider = new Provider();
  await auth(provider, { serverUrl: issuer });
  const first = provider.client!;
  provider.client = { ...first, client_id: `${first.client_id}x` };
  await expect(auth(provider, { serverUrl: issuer, authorizationCode: 'code' })).rejects.toMatchObject({
    errorCode: 'invalid_client',
  });
});
