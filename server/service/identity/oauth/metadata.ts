import { SCOPES } from '../scopes.js';

/** Describes the authorization server: https://www.rfc-editor.org/rfc/rfc8414#section-2 @param issuer without a final slash. */
export const authorizationServerMetadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/oauth/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  registration_endpoint: `${issuer}/oauth/register`,
  scopes_supported: [...SCOPES],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code'],
  token_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
});

/** Describes this API as a resource: https://www.rfc-editor.org/rfc/rfc9728#section-2 */
export const protectedResourceMetadata = (issuer: string) => ({
  resource: new URL(issuer).origin,
  authorization_servers: [issuer],
  scopes_supported: [...SCOPES],
  bearer_methods_supported: ['header'],
  resource_name: 'Blob Storage',
});
